import { OPERATIONS } from "../../contract/operations.ts";
import { entityTag } from "../answers.ts";
import { bindingOf, isBound } from "../checks.ts";
import type { Answer, Call } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { idempotencyKeyOf, storedAnswersOf } from "../per-receiver.ts";
import type { Patch } from "../steps.ts";
import { PARTNER, mayAccess, SUBJECT } from "../store.ts";
import type { Fault, When } from "./fault.ts";

/** Faults that answer a request for what the client already has before a check. */
export const CONDITIONAL_FAULTS: readonly Fault[] = [
  notModified("token", {
    rule: "receiver.token-required",
    title: "Answers If-None-Match before it checks the token",
    how: "A cache in front knows that nothing has changed, and does not ask the service.",
    when: ({ status }) => status === 401,
  }),
  notModified("binding", {
    rule: "receiver.binding",
    title: "Answers If-None-Match before it checks the binding",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) => status === 403 && isBound(call) && bindingOf(call) !== call.orgId,
  }),
  notModified("policy", {
    rule: "receiver.local-policy",
    title: "Answers If-None-Match before it applies local policy",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) =>
      status === 403 &&
      call.claims["sub"] === PARTNER &&
      (!isBound(call) || bindingOf(call) === call.orgId),
  }),
];

function notModified(
  check: string,
  { when, ...words }: When<[answer: Answer, call: Call]> & Pick<Fault, "rule">,
): Fault {
  return {
    ...words,
    name: `not-modified-before-${check}`,
    ...changingAnswers((answer, call) =>
      call?.headers["if-none-match"] !== undefined && when(answer, call) ? { status: 304 } : answer,
    ),
  };
}

/** Faults of a cache that knows the last entity tag of each URL, and answers for the service. */
export const ENTITY_TAG_FAULTS: readonly Fault[] = [
  {
    name: "not-modified-from-cache",
    title: "Answers If-None-Match before it checks the token, if the ETag is current",
    rule: "receiver.token-required",
    how: "A cache of entity tags by URL comes before authentication.",
    ...answeredByTag(({ status }) => status === 401),
  },
  {
    name: "not-modified-despite-policy",
    title: "Answers If-None-Match before it applies local policy, if the ETag is current",
    rule: "receiver.local-policy",
    how: "A middleware compares entity tags, and the handler after it applies the policy.",
    ...answeredByTag(
      ({ status }, { claims, orgId = "" }) => status === 403 && !mayAccess(claims["sub"], orgId),
    ),
  },
];

/** Answers 304 in place of some refusals. */
function answeredByTag(isHidden: (refusal: Answer, call: Call) => boolean): Patch {
  return {
    finish(original) {
      const tags = new Map<string, string>();
      return (answer, receiver, call) => {
        const sent = original(answer, receiver, call);
        if (call?.method !== "GET") return sent;
        const known = tags.get(call.url);
        const isCurrent = known !== undefined && known === call.headers["if-none-match"];
        if (isCurrent && isHidden(sent, call)) return { status: 304 };
        if (sent.status !== 200) return sent;
        const etag = entityTag(sent.body);
        tags.set(call.url, etag);
        return { ...sent, headers: { ...sent.headers, etag } };
      };
    },
  };
}

const how =
  "The answers are kept by a middleware in front of the routes, which finds them by the key alone, and the checks come after it.";

const TOKENLESS = stored(
  "tokenless",
  "receiver.token-required",
  "a request without a token",
  (_answer, { authorization }) => authorization.length === 0,
);
const LESSER = stored(
  "lesser",
  "receiver.scope",
  "a token without the scope",
  ({ status }, { claims, operation }) =>
    status === 403 && !String(claims["scope"]).split(" ").includes(OPERATIONS[operation].scope),
);
const DENIED = stored(
  "denied",
  "receiver.local-policy",
  "a subject that may not act on the organization",
  ({ status }, { claims }) => status === 403 && claims["sub"] !== SUBJECT,
);

/** Faults of a receiver that keeps the answers to writes by their idempotency key. */
export const STORED_ANSWER_FAULTS: readonly Fault[] = [
  TOKENLESS,
  stored(
    "forged",
    "receiver.signature",
    "a token that is not valid",
    ({ status }, { authorization, claims }) =>
      status === 401 && authorization.length > 0 && Object.keys(claims).length === 0,
  ),
  stored(
    "elsewhere",
    "receiver.binding",
    "a token that is bound to another organization",
    ({ status }, call) => status === 403 && isBound(call) && bindingOf(call) !== call.orgId,
  ),
  stored(
    "foreign",
    "receiver.audience",
    "a token for another service",
    (_answer, { claims, receiver }) => "aud" in claims && claims["aud"] !== receiver.baseUrl,
  ),
  stored(
    "expired",
    "receiver.expiry",
    "an expired token",
    (_answer, { claims, receiver }) => Number(claims["exp"]) < receiver.steps.now(),
  ),
  LESSER,
  DENIED,
  ...[TOKENLESS, DENIED, LESSER].map(ofEdits),
];

/** The same fault on edits alone. */
function ofEdits({ finish, ...fault }: Fault): Fault {
  const operation = "editOrganization";
  return {
    ...fault,
    name: `${fault.name}-on-${operation}`,
    title: `${fault.title}, on ${operation}`,
    variants: ["writes-idempotent"],
    finish: (original) => {
      const patched = finish?.(original) ?? original;
      return (answer, receiver, call) =>
        (call?.operation === operation ? patched : original)(answer, receiver, call);
    },
  };
}

function stored(
  name: string,
  rule: Fault["rule"],
  what: string,
  isGiven: (refused: Answer, call: Call) => boolean,
): Fault {
  return {
    name: `stored-answer-${name}`,
    title: `Gives ${what} the stored answer to a used Idempotency-Key`,
    rule,
    how,
    variants: ["submissions-idempotent"],
    ...changingAnswers((answer, call, receiver) => {
      const known = storedAnswersOf(receiver).get((call && idempotencyKeyOf(call)) ?? "");
      const isStored = call && known && answer.status >= 400 && isGiven(answer, call);
      return isStored ? known.answer : answer;
    }),
  };
}
