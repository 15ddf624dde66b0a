import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { type InvalidMutation, type Mutation, unchanged } from "../../src/mutations/mutation.ts";
import { harmlessFields } from "../../src/mutations/request/separators.ts";
import {
  emptyCredentials,
  furtherSchemes,
  inForm,
  lowerCaseScheme,
  nulInToken,
  openPresentations,
  otherHeaders,
  otherSchemes,
  respelledHeaders,
} from "../../src/mutations/token/presentation.ts";
import { forgedSignature } from "../../src/mutations/token/signature.ts";
import {
  accepts,
  besideOthers,
  custom,
  type MutationCase,
  oneRead,
  oneReadOneWrite,
  rejects,
  unmarked,
} from "../../src/probe/cases.ts";
import { Finding } from "../../src/probe/finding.ts";
import { countFact, phrase, valueFact } from "../../src/probe/phrase.ts";
import type { Attempt, Fixture, Probe } from "../../src/probe/probe.ts";
import { listedOrganizations } from "../../src/probe/read/items.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import { malformedToken, noCredentials, otherScheme } from "../shared/mutations/credentials.ts";
import {
  oddPaths,
  overriddenPost,
  overriddenRead,
  overriddenWrite,
  plainPaths,
  preflightHeaders,
  respelledOverrideOfPost,
  respelledOverrideOfRead,
  respelledOverrideOfWrite,
} from "./mutations/guard-bypass.ts";
import { EVERY_READ, operationsFor, unlessServed } from "./ways/check-options.ts";
import { doesNotReach } from "./ways/expect-not-reached.ts";
import { rejectsRespelledType } from "./ways/media-type.ts";
import { byHead } from "./ways/near-routes.ts";
import { rejectsWithoutChange } from "./ways/no-change.ts";
import { currentTag, unlessMatching, WITHOUT_WRITES } from "./ways/not-modified.ts";
import { rejectsPaged } from "./ways/paged.ts";
import { rejectsOnPublicPaths } from "./ways/public-paths.ts";
import { rejectsReplayed } from "./ways/replayed.ts";

const afterGood: InvalidMutation = {
  ...noCredentials,
  name: "after-good",
  what: "no Authorization header, right after a good request for the same resource",
};

const onOther: InvalidMutation = {
  ...noCredentials,
  name: "missing-on-other",
  what: "no Authorization header, and the path names the other organization",
  needs: ["organizations.other"],
};

const notModified: InvalidMutation = {
  ...malformedToken,
  name: "if-none-match",
  what: "the token is the word `conformance`, which is not a JWT, and `If-None-Match` matches",
};

const cookie: InvalidMutation = {
  ...noCredentials,
  name: "session-cookie",
  what: "no Authorization header, but the cookies that a good request was answered with",
};

const forgedWithCookie: InvalidMutation = {
  ...forgedSignature,
  name: "session-cookie-forged",
  what: "the token is forged, and there are the cookies that a good request was answered with",
};

const head: InvalidMutation = {
  ...noCredentials,
  ...byHead,
  what: "no Authorization header, and the method is HEAD",
  level: "SHOULD",
};

const challenge: InvalidMutation = {
  ...noCredentials,
  name: "challenge",
  what: "no Authorization header; a 401 must name the scheme Bearer",
  refused: { ...noCredentials.refused, source: "RFC 6750 §3; RFC 9110 §15.5.2" },
  level: "SHOULD",
};

export const rule: Rule = defineRule({
  id: "receiver.token-required",
  title: "A request without a bearer token is rejected",
  level: "MUST",
  verifies: [
    "endpoints.token-and-scope",
    "service.authenticated",
    "endpoints.authorization-header",
    "authentication.oauth-and-jwt",
    "authentication.bearer-header",
    "rfc7519.validation-steps",
    "rfc6750.header",
    "rfc6750.challenge",
    "rfc9110.auth-scheme",
    "rfc9110.status-classes",
    "rfc9110.unauthorized",
  ],
  cases(facts): RuleCase[] {
    const tail = oneReadOneWrite(facts);
    const reads = tail.filter((id) => !OPERATIONS[id].writes);
    return [
      ...rejects(OPERATION_IDS, [noCredentials, otherScheme, malformedToken]),
      ...unmarked(rejects(OPERATION_IDS, [noCredentials])),
      ...rejectsPaged(noCredentials),
      // One organization may have been made public by mistake, and not another.
      ...custom(["viewOrganization"], [onOther], rejectsOnOther),
      ...rejects(tail, [...otherSchemes, ...emptyCredentials, nulInToken, ...otherHeaders]),
      ...rejects(reads, furtherSchemes),
      ...custom(reads, respelledHeaders, rejectsRespelled, { sends: 1 }),
      ...custom(reads, [afterGood], rejectsAfterGood),
      ...custom(reads, [notModified], rejectsWithEntityTag, WITHOUT_WRITES),
      ...custom(reads, [cookie, forgedWithCookie], rejectsCookie),
      ...custom(operationsFor(facts, {}, EVERY_READ), [head], rejectsHead, { sends: 2 }),
      ...custom(reads, [challenge], judgeChallenge),
      ...beside(["listOrganizations", "viewOrganization", "editOrganization"], plainPaths),
      ...beside(
        ["viewOrganization"],
        [...oddPaths, overriddenRead, ...respelledOverrideOfRead, preflightHeaders],
      ),
      ...rejectsOnPublicPaths(facts),
      ...custom(["viewOrganization"], [overriddenPost, ...respelledOverrideOfPost], judgeBeside, {
        writes: "beside",
        // Nobody has to consent to writes for the sake of this request alone.
        inapplicable:
          facts.writes || OPERATION_IDS.some((id) => OPERATIONS[id].writes && facts.operations[id])
            ? undefined
            : "no write is offered",
      }),
      ...beside(["editOrganization"], [overriddenWrite, ...respelledOverrideOfWrite]),
      ...rejectsRespelledType(facts, noCredentials),
      ...rejectsWithoutChange(facts, noCredentials),
      ...accepts(oneRead(facts), [lowerCaseScheme]).map((one) => ({
        ...one,
        level: "SHOULD" as const,
      })),
      ...rejects(oneRead(facts), openPresentations),
      ...rejects(["submitChange"], [inForm]),
      ...rejectsReplayed(facts, noCredentials),
    ];
  },
});

async function judgeChallenge(probe: Probe): Promise<Finding> {
  const { reply, evidence } = await probe.attempt(challenge);
  if (reply.status !== 401)
    return Finding.notApplicable(phrase`answered with ${describeReply(reply)}`);
  const header = reply.headers["www-authenticate"];
  return /(^|[\s,])Bearer\b/i.test(header ?? "")
    ? Finding.pass(evidence)
    : {
        kind: "fail",
        expected: phrase`a 401 has a \`WWW-Authenticate\` header with a challenge for Bearer`,
        actual:
          header === undefined
            ? phrase`there is no such header`
            : phrase`it says ${valueFact(header.slice(0, 80))}`,
        evidence,
      };
}

/** HEAD is like GET, RFC 9110 §9.3.2, but not every server has it for each route. */
async function rejectsHead(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const attempt = await probe.attempt(byHead);
  const why = phrase`HEAD with a good token: ${describeReply(attempt.reply)}`;
  return unlessServed(attempt, why) ?? probe.rejects(mutation);
}

/** A receiver may refuse every header field with an underscore in its name, or its server may remove it. */
async function rejectsRespelled(
  probe: Probe,
  { mutation, operation }: MutationCase,
): Promise<Finding> {
  const good = await probe.use(withHarmlessFields(operation));
  const refused = phrase`a good request is refused for such names: ${describeReply(good.reply)}`;
  return unlessServed(good, refused) ?? probe.rejects(mutation);
}

function withHarmlessFields(operation: OperationId): Fixture<Attempt> {
  return {
    name: `underscores ${operation}`,
    scope: "run",
    setup: (probe) => probe.attempt(harmlessFields, { operation, purpose: "wanted" }),
  };
}

async function rejectsOnOther(probe: Probe): Promise<Finding> {
  return probe.rejects(onOther, { organization: await probe.organization("other") });
}

async function rejectsAfterGood(probe: Probe): Promise<Finding> {
  await probe.attempt(unchanged);
  return probe.rejects(afterGood);
}

async function rejectsWithEntityTag(probe: Probe, { operation }: MutationCase): Promise<Finding> {
  const { form } = await probe.control(operation);
  return probe.rejects(unlessMatching(notModified, await currentTag(probe, operation, form.bound)));
}

async function rejectsCookie(
  probe: Probe,
  { mutation, operation }: MutationCase,
): Promise<Finding> {
  const { reply } = await probe.control(operation);
  // Fields of one name are joined by commas. A new cookie begins where a comma is followed by a name.
  const pairs = (reply.headers["set-cookie"] ?? "")
    .split(/,\s*(?=[^;,=\s]+=)/)
    .flatMap((field) => /^[^=;\s]+=[^;]*/.exec(field) ?? []);
  if (pairs.length === 0)
    return Finding.notApplicable(phrase`a good request is answered without a cookie`);
  return probe.rejects({
    ...mutation,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["cookie", pairs.join("; ")]] }),
  });
}

/** Requests that are not exactly a route of the contract. They must show and edit nothing. */
function beside(
  operations: readonly OperationId[],
  mutations: readonly Mutation[],
): (MutationCase & RuleCase)[] {
  return custom(operations, mutations, judgeBeside).map(besideOthers);
}

async function judgeBeside(probe: Probe, { mutation, operation }: MutationCase): Promise<Finding> {
  const attempt = await probe.attempt(mutation);
  if (operation === "listOrganizations") return listsNothing(probe, attempt);
  const { primary } = await probe.organizations();
  return doesNotReach(probe, attempt, primary ?? "");
}

/** Where the list is not recognised, an existing organization's id counts as listing it. */
async function listsNothing(probe: Probe, { reply, evidence }: Attempt): Promise<Finding> {
  const { primary, other } = await probe.organizations();
  const text = reply.body.toLowerCase();
  const named = [primary, other].filter((id) => id && text.includes(id.toLowerCase()));
  const listed =
    reception(reply) === "accepted"
      ? (listedOrganizations(reply.json(), probe.target.operations.listOrganizations) ?? named)
      : [];
  return listed.length > 0
    ? {
        kind: "fail",
        expected: phrase`the answer lists no organization`,
        actual: phrase`${describeReply(reply)}, and lists ${countFact(listed.length, "organization")}`,
        evidence,
      }
    : Finding.pass(evidence, describeReply(reply));
}
