import type { HttpRequest } from "../../../src/http/exchange.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import { type InvalidMutation } from "../../../src/mutations/mutation.ts";
import { deniedSubject } from "../../../src/mutations/token/policy.ts";
import { withMembers } from "../../../src/mutations/token/signature.ts";
import { custom, type MutationCase } from "../../../src/probe/cases.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { describeReply, isUnclear, reception } from "../../../src/probe/reception.ts";
import type { RuleCase } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";
import { compact, splitCompact } from "../../../src/tokens/compact.ts";
import { mintGood } from "../../../src/tokens/mint.ts";
import { otherScopes } from "../../shared/mutations/scope.ts";
import { goodAnswer, isServedAlike } from "../../shared/served-alike.ts";
import { EVERY_READ, operationsFor } from "./check-options.ts";
import { doesNotReach } from "./expect-not-reached.ts";

/**
 * Two tokens in one request: a genuine one without the required scope, and a forged one that claims to have it. One part of a
 * receiver may verify the one, and another part read the other. A receiver may refuse two tokens, or use the genuine one.
 */

/** Puts both tokens into a request without credentials. */
type Presenting = (plain: HttpRequest, first: string, second: string) => HttpRequest;

const FORMS: readonly (readonly [name: string, what: string, present: Presenting])[] = [
  [
    "in-one-line",
    "in one Authorization header, with a comma between",
    (plain, first, second) => authorizedBy(plain, `Bearer ${first}, Bearer ${second}`),
  ],
  [
    "in-two-lines",
    "in two Authorization headers",
    (plain, first, second) => authorizedBy(plain, `Bearer ${first}`, `Bearer ${second}`),
  ],
  [
    "in-cookie",
    "in the Authorization header and in a cookie",
    (plain, first, second) => withCookie(authorizedBy(plain, `Bearer ${first}`), second),
  ],
  [
    "in-query",
    "in the Authorization header and in the query",
    (plain, first, second) => ({
      ...authorizedBy(plain, `Bearer ${first}`),
      path: addQuery(plain.path, `access_token=${second}`),
    }),
  ],
];

/** Names of cookies in which services keep a token. */
const COOKIES = ["access_token", "token", "jwt"];

function authorizedBy(plain: HttpRequest, ...values: readonly string[]): HttpRequest {
  const lines = values.map((value) => ["authorization", value] as const);
  return { ...plain, headers: [...plain.headers, ...lines] };
}

function withCookie(request: HttpRequest, token: string): HttpRequest {
  const cookie = COOKIES.map((name) => `${name}=${token}`).join("; ");
  return { ...request, headers: [...request.headers, ["cookie", cookie]] };
}

function withoutCredentials(spec: HttpRequest): HttpRequest {
  return { ...spec, headers: spec.headers.filter(([name]) => name !== "authorization") };
}

/** The token with other claims, and the signature that it had. */
function forgedFrom(token: string, scope: string): string {
  const { header, payload, signature } = splitCompact(token);
  return [header, withMembers(payload, { scope }), signature].join(".");
}

const twoCredentials: readonly InvalidMutation[] = FORMS.flatMap(([name, what, present]) =>
  [false, true].map((forgedFirst): InvalidMutation => ({
    ...otherScopes,
    name: `${forgedFirst ? "before-genuine" : "after-genuine"}-${name}`,
    what: `a token without the required scope and a forged one that claims to have it, ${what}, the ${forgedFirst ? "forged" : "genuine"} one first`,
    refused: {
      ...otherScopes.refused,
      why: "scopes are those of a token whose signature was verified, and neither token allows the request",
      source: "contract, Receiver checks 1, 5; RFC 6750 §2; CWE-345",
    },
    request(spec, { operation }, token) {
      const forged = forgedFrom(token, operation.scope);
      const [first, second] = forgedFirst ? [forged, token] : [token, forged];
      return present(withoutCredentials(spec), first, second);
    },
  })),
);

const forgedAlone: InvalidMutation = {
  ...otherScopes,
  name: "forged-scope",
  what: "the token is forged, and claims to have the required scope",
  request: (spec, { operation }, token) =>
    authorizedBy(withoutCredentials(spec), `Bearer ${forgedFrom(token, operation.scope)}`),
};

/** A receiver that accepts any two Authorization headers fails there. */
const AFTER_TWO_BAD = { dependsOn: ["receiver.token-required/both-bad"] };

/** Cases on one read, `<forged one's place>-<form>@<operation>`. */
export function rejectsTwoCredentials(facts: Facts): RuleCase[] {
  const operations = operationsFor(facts, {}, EVERY_READ).slice(0, 1);
  return twoCredentials.flatMap((mutation) =>
    custom(
      operations,
      [mutation],
      judge,
      mutation.name.endsWith("-in-two-lines") ? AFTER_TWO_BAD : {},
    ),
  );
}

const SUBJECTS_MIXED = {
  why: "all claims of a request are those of one token, and neither token allows the request",
  source: "contract, Receiver checks 5, 7; RFC 6750 §2; CWE-345",
};

/**
 * Two genuine tokens: one of the allowed subject without the required scope, and one of the denied subject with it. Both are
 * made here, because a mutation changes one token.
 */
function twoSubjects(deniedFirst: boolean): InvalidMutation {
  const ofDenied = new Map<string, string>();
  return {
    ...otherScopes,
    name: `subject-${deniedFirst ? "denied" : "allowed"}-first`,
    what: `a token of a subject that may act there, without the required scope, and one of a subject that may not, with the scope, in two Authorization headers, the ${deniedFirst ? "second" : "first"} one of the subject that may`,
    refused: { ...otherScopes.refused, ...SUBJECTS_MIXED },
    token: {
      ...otherScopes.token,
      async text(segments, draft, { operation, target }) {
        const genuine = compact(segments);
        const claims = { ...draft.claims, sub: target.denied?.subject, scope: operation.scope };
        ofDenied.set(genuine, await mintGood({ ...draft, claims }));
        return genuine;
      },
    },
    request(spec, _context, token) {
      const denied = ofDenied.get(token) ?? "";
      const tokens = deniedFirst ? [denied, token] : [token, denied];
      return authorizedBy(withoutCredentials(spec), ...tokens.map((one) => `Bearer ${one}`));
    },
    asks: () => undefined,
    signsAsIssuer: true,
    inapplicable: ({ denied, subject }) =>
      denied?.subject === subject
        ? "no other subject may act on the denied organization"
        : undefined,
    needs: ["denied"],
  };
}

/** Cases on the view of the denied organization, `subject-<which>-first@viewOrganization`. */
export function rejectsTwoSubjects({ denied }: Facts): RuleCase[] {
  return denied && !denied.operations.includes("viewOrganization")
    ? []
    : custom(["viewOrganization"], [false, true].map(twoSubjects), judgeSubjects, AFTER_TWO_BAD);
}

async function judgeSubjects(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const organization = probe.target.denied?.organization ?? "";
  const attempt = await probe.attempt(mutation, { organization });
  const finding = await doesNotReach(probe, attempt, organization);
  if (finding.kind !== "fail") return finding;
  for (const [alone, rule] of [
    [otherScopes, "receiver.scope/all-others"],
    [deniedSubject, "receiver.local-policy"],
  ] as const) {
    const { reply, evidence } = await probe.attempt(alone, { organization });
    if (reception(reply) === "rejected") continue;
    const reason = phrase`one of the tokens is not refused alone, which ${rule} reports`;
    return Finding.inconclusive(reason, evidence);
  }
  return { ...finding, certainty: "proof" };
}

/** Only a request that got what a good token gets needed the claims of the forged one. */
async function judge(probe: Probe, { mutation }: MutationCase): Promise<Finding> {
  const attempt = await probe.attempt(mutation);
  const { reply, control, evidence } = attempt;
  const answer = describeReply(reply);
  const good = goodAnswer(probe, { ...attempt, reply: control.reply });
  if (!good || !isServedAlike(probe, attempt, good)) {
    return isUnclear(reply)
      ? Finding.inconclusive(answer, evidence)
      : Finding.pass(evidence, answer);
  }
  for (const [alone, rule] of [
    [otherScopes, "receiver.scope/all-others"],
    [forgedAlone, "receiver.signature/payload-tampered"],
  ] as const) {
    const sent = await probe.attempt(alone);
    if (isServedAlike(probe, sent, good)) {
      const reason = phrase`one of the tokens is accepted alone, which ${rule} reports`;
      return Finding.inconclusive(reason, sent.evidence);
    }
  }
  return {
    kind: "fail",
    expected: phrase`the request is refused, or answered by the genuine token alone`,
    actual: phrase`${answer}, as with a good token, though each of the two tokens is refused alone`,
    evidence,
    certainty: "proof",
  };
}
