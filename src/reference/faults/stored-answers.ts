import { idempotencyKeyOf, storedAnswersOf } from "../idempotency.ts";
import type { Answer, Call } from "../model.ts";
import type { Fault } from "./fault.ts";

const how =
  "The answers are kept by a middleware in front of the routes, which finds them by the key alone, and the checks come after it.";

/** Faults of a receiver that keeps the answers to submissions by their idempotency key. */
export const STORED_ANSWER_FAULTS: readonly Fault[] = [
  stored(
    "tokenless",
    "receiver.token-required",
    "a request without a token",
    (_answer, { authorization }) => authorization.length === 0,
  ),
  stored(
    "forged",
    "receiver.signature",
    "a token that is not valid",
    ({ status }, { authorization }) => status === 401 && authorization.length > 0,
  ),
  stored(
    "elsewhere",
    "receiver.binding",
    "a token that is bound to another organization",
    ({ status }) => status === 403,
  ),
];

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
    finish: (original) => (answer, receiver, call) => {
      const key = call && idempotencyKeyOf(call);
      const known = key === undefined ? undefined : storedAnswersOf(receiver).get(key);
      const isStored = call && known && answer.status >= 400 && isGiven(answer, call);
      return original(isStored ? known.answer : answer, receiver, call);
    },
  };
}
