import type { Answer, Call } from "../model.ts";
import { Refusal } from "../refusal.ts";
import type { FaultEntry } from "./fault.ts";

/** Helpers for faults that replace an answer. */

/** A fault that changes the Error body, which is given to `body` as the contract wants it. */
export function errorBody({
  body,
  ...fault
}: FaultEntry & { readonly body: (refusal: Refusal, usual: object) => unknown }): FaultEntry {
  return {
    ...fault,
    errorBody: (original) => (refusal) => body(refusal, original(refusal) as object),
  };
}

/** The answer without its body. */
export function bodiless({ status, headers }: Answer): Answer {
  return { status, ...(headers && { headers }) };
}

/**
 * A fault that changes the answers to which it `applies`: `answer` before the common headers are added, `headers` all headers
 * of the finished answer.
 */
export function finished({
  applies,
  answer: changed = (answer) => answer,
  headers: sent = (headers) => headers,
  ...fault
}: FaultEntry & {
  readonly applies: (answer: Answer, call: Call | undefined) => boolean;
  readonly answer?: (answer: Answer) => Answer;
  readonly headers?: (headers: NonNullable<Answer["headers"]>) => NonNullable<Answer["headers"]>;
}): FaultEntry {
  return {
    ...fault,
    finish: (original) => (answer, receiver, call) => {
      if (!applies(answer, call)) return original(answer, receiver, call);
      const whole = original(changed(answer), receiver, call);
      return { ...whole, headers: sent(whole.headers ?? {}) };
    },
  };
}

/** A fault that changes the answer to one of the framework's own errors. */
export function framework({
  code,
  answer,
  ...fault
}: FaultEntry & { readonly code: string; readonly answer: Answer }): FaultEntry {
  return {
    ...fault,
    errorAnswer: (original) => (error, receiver) =>
      (error as { code?: unknown }).code === code ? answer : original(error, receiver),
  };
}

/** A fault that changes how Error bodies are encoded. */
export function encodedError({
  encoded,
  ...fault
}: FaultEntry & { readonly encoded: (text: string) => string | Buffer }): FaultEntry {
  return {
    ...fault,
    encode: (original) => (answer) => {
      const { payload, ...wire } = original(answer);
      const isError = answer.status >= 400 && typeof payload === "string";
      return { ...wire, payload: isError ? encoded(payload) : payload };
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
