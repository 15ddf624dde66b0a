import { OPERATION_IDS, OPERATIONS, type OperationId } from "../../src/contract/operations.ts";
import type { InvalidMutation, Mutation } from "../../src/mutations/mutation.ts";
import {
  oddPaths,
  overriddenPost,
  overriddenRead,
  overriddenWrite,
  plainPaths,
} from "../../src/mutations/request/guard-bypass.ts";
import {
  malformedToken,
  noCredentials,
  otherScheme,
} from "../../src/mutations/token/credentials.ts";
import {
  emptyCredentials,
  inForm,
  lowerCaseScheme,
  nulInToken,
  openPresentations,
  otherHeaders,
  otherSchemes,
} from "../../src/mutations/token/presentation.ts";
import { type MutationCase, casesOn, oneRead, oneReadOneWrite } from "../../src/probe/cases.ts";
import { doesNotReach } from "../../src/probe/expect-not-reached.ts";
import type { Finding } from "../../src/probe/finding.ts";
import type { Attempt, Probe } from "../../src/probe/probe.ts";
import { listedOrganizations } from "../../src/probe/read/listed.ts";
import { describeReply, reception } from "../../src/probe/reception.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import { unmarked } from "../../src/probe/unmarked.ts";

/** What is no route of the contract to the letter: any answer will do that shows and edits nothing. */
const BESIDE_ROUTES: readonly Mutation[] = [
  ...plainPaths,
  ...oddPaths,
  overriddenRead,
  overriddenPost,
  overriddenWrite,
];

const afterGood: InvalidMutation = {
  ...noCredentials,
  name: "after-good",
  what: "no Authorization header, right after a good request for the same",
};

const notModified: InvalidMutation = {
  ...malformedToken,
  name: "if-none-match",
  what: "the token is the word `conformance`, which is no JWT, and If-None-Match fits",
};

const head: InvalidMutation = {
  ...noCredentials,
  name: "head",
  what: "no Authorization header, and the method is HEAD",
  level: "SHOULD",
  request: (spec) => ({ ...spec, method: "HEAD" }),
};

const challenge: InvalidMutation = {
  ...noCredentials,
  name: "challenge",
  what: "no Authorization header, whereupon a 401 names the scheme Bearer",
  source: "RFC 6750 §3; RFC 9110 §15.5.2",
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
  cases(target): MutationCase[] {
    const tail = oneReadOneWrite(target);
    return [
      ...casesOn(OPERATION_IDS, [noCredentials, otherScheme, malformedToken]),
      ...unmarked(casesOn(OPERATION_IDS, [noCredentials])),
      ...casesOn(tail, [...otherSchemes, ...emptyCredentials, nulInToken, ...otherHeaders]),
      ...casesOn(
        tail.filter((id) => !OPERATIONS[id].writes),
        [afterGood, notModified, head, challenge],
      ),
      ...casesOn(["listOrganizations", "viewOrganization", "editOrganization"], plainPaths),
      ...casesOn(["viewOrganization"], [...oddPaths, overriddenRead]),
      ...casesOn(["viewOrganization"], [overriddenPost]).map((one) => ({ ...one, writes: true })),
      ...casesOn(["editOrganization"], [overriddenWrite]),
      ...casesOn(oneRead(target), [lowerCaseScheme]).map((one) => ({
        ...one,
        level: "SHOULD" as const,
      })),
      ...casesOn(oneRead(target), openPresentations),
      ...casesOn(["submitChange"], [inForm]),
    ];
  },
  async probe(probe, { mutation, operation }): Promise<Finding> {
    switch (mutation) {
      case lowerCaseScheme:
        return probe.accepts(mutation);
      case challenge:
        return judgeChallenge(probe);
      case notModified:
        return probe.rejects(await withEntityTag(probe, operation));
      case afterGood:
        await probe.attempt({ name: "good", what: "nothing differs" });
        return probe.rejects(mutation);
      default:
        return BESIDE_ROUTES.includes(mutation)
          ? judgeBeside(probe, mutation, operation)
          : probe.rejects(mutation);
    }
  },
});

async function judgeChallenge(probe: Probe): Promise<Finding> {
  const { reply, evidence } = await probe.attempt(challenge);
  if (reply.status !== 401) {
    return { kind: "not-applicable", reason: `answered with ${describeReply(reply)}` };
  }
  const header = reply.headers["www-authenticate"];
  return /(^|[\s,])Bearer\b/i.test(header ?? "")
    ? { kind: "pass", evidence }
    : {
        kind: "fail",
        expected: "a 401 has a WWW-Authenticate header with a challenge for Bearer",
        actual: header === undefined ? "there is none" : `it says ${header.slice(0, 80)}`,
        evidence,
      };
}

async function withEntityTag(probe: Probe, operation: OperationId): Promise<InvalidMutation> {
  const { reply } = await probe.control(operation);
  const tag = reply.headers["etag"] ?? "*";
  return {
    ...notModified,
    request: (spec) => ({ ...spec, headers: [...spec.headers, ["if-none-match", tag]] }),
  };
}

async function judgeBeside(
  probe: Probe,
  mutation: Mutation,
  operation: OperationId,
): Promise<Finding> {
  const attempt = await probe.attempt(mutation);
  if (operation === "listOrganizations") return listsNothing(probe, attempt);
  const { primary } = await probe.organizations();
  return doesNotReach(probe, attempt, primary ?? "");
}

/** Where it cannot be told what is listed, an organization that exists is shown by naming its id. */
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
        expected: "whatever is answered, it lists no organization",
        actual: `${describeReply(reply)}, and ${listed.length} organizations are listed`,
        evidence,
      }
    : { kind: "pass", reason: describeReply(reply), evidence };
}
