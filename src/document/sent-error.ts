import { type ErrorCode, SuiteError } from "../lib/errors.ts";

/** An error that the user can correct, as it is sent between the threads. */
export interface SentError {
  readonly code: ErrorCode;
  readonly message: string;
  readonly hint: string | undefined;
}

/** An error for the other thread. */
export function sent({ code, message, hint }: SuiteError): SentError {
  return { code, message, hint };
}

/** An error of the other thread. */
export function receivedError({ code, message, hint }: SentError): SuiteError {
  return new SuiteError(code, message, { hint });
}
