import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import type { FaultWords, UnownedFault } from "./fault.ts";

/** Helpers for faults that replace an answer. */

/** A fault that changes the Error body. */
export function errorBody(
  name: string,
  { body, ...words }: FaultWords & { body: (refusal: Refusal) => unknown },
): UnownedFault {
  return { ...words, name, errorBody: () => body };
}

/**
 * A fault that changes the answers to which it `applies`: `answer` before the common headers are added, `headers` all headers
 * of the finished answer.
 */
export function finished(
  name: string,
  {
    applies,
    answer: changed = (answer) => answer,
    headers: sent = (headers) => headers,
    ...words
  }: FaultWords & {
    applies: (answer: Answer, call: Call | undefined) => boolean;
    answer?: (answer: Answer) => Answer;
    headers?: (headers: NonNullable<Answer["headers"]>) => NonNullable<Answer["headers"]>;
  },
): UnownedFault {
  return {
    ...words,
    name,
    finish: (original) => (answer, receiver, call) => {
      if (!applies(answer, call)) return original(answer, receiver, call);
      const whole = original(changed(answer), receiver, call);
      return { ...whole, headers: sent(whole.headers ?? {}) };
    },
  };
}

/** A fault that changes the answer to one of the framework's own errors. */
export function framework(
  name: string,
  { code, answer, ...words }: FaultWords & { code: string; answer: Answer },
): UnownedFault {
  return {
    ...words,
    name,
    errorAnswer: (original) => (error, receiver) =>
      (error as { code?: unknown }).code === code ? answer : original(error, receiver),
  };
}

/** A fault that changes how Error bodies are encoded. */
export function encodedError(
  name: string,
  { encode, ...words }: FaultWords & { encode: (text: string) => string | Buffer },
): UnownedFault {
  return {
    ...words,
    name,
    encode: (original) => (answer) => {
      const { payload, ...wire } = original(answer);
      const isError = answer.status >= 400 && typeof payload === "string";
      return { ...wire, payload: isError ? encode(payload) : payload };
    },
  };
}

/** The result of `answer`, or of `otherwise` if `answer` refuses. */
export function unlessRefused(
  answer: () => Answer,
  otherwise: (refusal: Refusal) => Answer,
): Answer {
  try {
    return answer();
  } catch (error) {
    if (error instanceof Refusal) return otherwise(error);
    throw error;
  }
}
