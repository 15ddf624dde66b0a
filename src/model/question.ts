import type { JsonObject } from "../lib/json.ts";
import type { Known } from "./known.ts";
import type { Outcome } from "./outcome.ts";
import type { AskedRequest } from "./request.ts";
import type { Reading } from "./route.ts";
import type { AskedToken } from "./token.ts";

/** What a check is asked: one reading of one request, with its token where it has one. */
export interface Question {
  readonly known: Known;
  readonly request: AskedRequest;
  readonly reading: Reading;
  /** Absent where the request carries none. */
  readonly token: AskedToken | undefined;
}

/** One check of the contract. `undefined` where it has nothing to look at. */
export type Check = (question: Question) => Outcome | undefined;

/** A check of the claims, which says nothing where they cannot be read. */
export function ofClaims(
  judge: (claims: JsonObject, question: Question) => Outcome | undefined,
): Check {
  return (question) => {
    const claims = question.token?.claims;
    return claims && judge(claims, question);
  };
}

/** A check of the token, which says nothing where there is none. */
export function ofToken(
  judge: (token: AskedToken, question: Question) => Outcome | undefined,
): Check {
  return (question) => question.token && judge(question.token, question);
}
