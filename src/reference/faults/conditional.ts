import { OPERATIONS } from "../../contract/operations.ts";
import { entityTag } from "../answers.ts";
import { bindingOf, isBound } from "../checks.ts";
import type { Answer, Call } from "../model.ts";
import { changingAnswers } from "../patches.ts";
import { idempotencyKeyOf, storedAnswersOf } from "../per-receiver.ts";
import type { Patch } from "../steps.ts";
import { PARTNER, mayAccess, SUBJECT } from "../store.ts";
import type { Faults, OwnedFault, When } from "./fault.ts";

/** Faults that answer a request for what the client already has before a check. */
export const CONDITIONAL_FAULTS: Faults = {
  "not-modified-before-token": notModified({
    rule: "receiver.token-required",
    title: "Answers If-None-Match before it checks the token",
    how: "A cache in front knows that nothing has changed, and does not ask the service.",
    when: ({ status }) => status === 401,
  }),
  "not-modified-before-binding": notModified({
    rule: "receiver.binding",
    title: "Answers If-None-Match before it checks the binding",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) => status === 403 && isBound(call) && bindingOf(call) !== call.orgId,
  }),
  "not-modified-before-policy": notModified({
    rule: "receiver.local-policy",
    title: "Answers If-None-Match before it applies local policy",
    how: "The organization is loaded and compared with the condition, before the code that checks access gets it.",
    when: ({ status }, call) =>
      status === 403 &&
      call.claims["sub"] === PARTNER &&
      (!isBound(call) || bindingOf(call) === call.orgId),
  }),
};

function notModified({
  when,
  ...fault
}: OwnedFault & When<[answer: Answer, call: Call]>): OwnedFault {
  return {
    ...fault,
    ...changingAnswers((answer, call) =>
      call?.headers["if-none-match"] !== undefined && when(answer, call) ? { status: 304 } : answer,
    ),
  };
}

/** Faults of a cache that knows the last entity tag of each URL, and answers for the service. */
export const ENTITY_TAG_FAULTS: Faults = {
  "not-modified-from-cache": {
    title: "Answers If-None-Match before it checks the token, if the ETag is current",
    rule: "receiver.token-required",
    how: "A cache of entity tags by URL comes before authentication.",
    ...answeredByTag(({ status }) => status === 401),
  },
  "not-modified-despite-policy": {
    title: "Answers If-None-Match before it applies local policy, if the ETag is current",
    rule: "receiver.local-policy",
    how: "A middleware compares entity tags, and the handler after it applies the policy.",
    ...answeredByTag(
      ({ status }, { claims, orgId = "" }) => status === 403 && !mayAccess(claims["sub"], orgId),
    ),
  },
};

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

/** To whom a stored answer is given, and the rule that this breaks. */
interface Given {
  readonly rule: string;
  readonly what: string;
  readonly when: (refused: Answer, call: Call) => boolean;
}

const TOKENLESS: Given = {
  rule: "receiver.token-required",
  what: "a request without a token",
  when: (_answer, { authorization }) => authorization.length === 0,
};
const LESSER: Given = {
  rule: "receiver.scope",
  what: "a token without the scope",
  when: ({ status }, { claims, operation }) =>
    status === 403 && !String(claims["scope"]).split(" ").includes(OPERATIONS[operation].scope),
};
const DENIED: Given = {
  rule: "receiver.local-policy",
  what: "a subject that may not act on the organization",
  when: ({ status }, { claims }) => status === 403 && claims["sub"] !== SUBJECT,
};

/** Faults of a receiver that keeps the answers to writes by their idempotency key. */
export const STORED_ANSWER_FAULTS: Faults = {
  "stored-answer-tokenless": stored(TOKENLESS),
  "stored-answer-forged": stored({
    rule: "receiver.signature",
    what: "a token that is not valid",
    when: ({ status }, { authorization, claims }) =>
      status === 401 && authorization.length > 0 && Object.keys(claims).length === 0,
  }),
  "stored-answer-elsewhere": stored({
    rule: "receiver.binding",
    what: "a token that is bound to another organization",
    when: ({ status }, call) => status === 403 && isBound(call) && bindingOf(call) !== call.orgId,
  }),
  "stored-answer-foreign": stored({
    rule: "receiver.audience",
    what: "a token for another service",
    when: (_answer, { claims, receiver }) => "aud" in claims && claims["aud"] !== receiver.baseUrl,
  }),
  "stored-answer-expired": stored({
    rule: "receiver.expiry",
    what: "an expired token",
    when: (_answer, { claims, receiver }) => Number(claims["exp"]) < receiver.steps.now(),
  }),
  "stored-answer-lesser": stored(LESSER),
  "stored-answer-denied": stored(DENIED),
  "stored-answer-tokenless-on-editOrganization": storedOfEdits(TOKENLESS),
  "stored-answer-denied-on-editOrganization": storedOfEdits(DENIED),
  "stored-answer-lesser-on-editOrganization": storedOfEdits(LESSER),
};

function stored({ rule, what, when }: Given): OwnedFault {
  return {
    title: `Gives ${what} the stored answer to a used Idempotency-Key`,
    rule,
    how: "The answers are kept by a middleware in front of the routes, which finds them by the key alone, and the checks come after it.",
    variants: ["submissions-idempotent"],
    ...changingAnswers((answer, call, receiver) => {
      if (!call || answer.status < 400 || !when(answer, call)) return answer;
      return storedAnswersOf(receiver).get(idempotencyKeyOf(call) ?? "")?.answer ?? answer;
    }),
  };
}

/** The fault on edits alone. */
function storedOfEdits({ when, ...given }: Given): OwnedFault {
  const isGiven: Given["when"] = (refused, call) =>
    call.operation === "editOrganization" && when(refused, call);
  const fault = stored({ ...given, when: isGiven });
  return {
    ...fault,
    title: `${fault.title}, on editOrganization`,
    variants: ["writes-idempotent"],
  };
}
