import { NOT_ABOUT_THE_REQUEST } from "../http/statuses.ts";
import { inShort } from "./metadata.ts";
import type { TokenResponse } from "./token-request.ts";

/** The answer of an endpoint at which clients authenticate, as far as it accepts or refuses the request. */
type Outcome = Pick<TokenResponse, "answer" | "accessToken" | "error">;

/** Whether there was no response of the token endpoint, or one that says nothing about the request. */
export function isUnclear({ answer: { status }, accessToken }: Outcome): boolean {
  return accessToken === undefined && (status === 0 || NOT_ABOUT_THE_REQUEST.has(status));
}

/** A short description of a token response. */
export function describeResponse({ answer, accessToken, error }: Outcome): string {
  if (accessToken !== undefined) return `${inShort(answer)} and an access token`;
  return error === undefined ? inShort(answer) : `${inShort(answer)}, ${inline(error)}`;
}

/**
 * The server's text for display: printable ASCII (NQSCHAR of RFC 6749 appendix A), at most 60
 * characters.
 */
export function inline(text: string): string {
  return text.replaceAll(/[^ -~]/g, "?").slice(0, 60);
}

/** Errors for wrong credentials: RFC 6749 section 5.2 has the first, some servers use the others. */
const UNAUTHENTICATED: ReadonlySet<string> = new Set([
  "invalid_client",
  "unauthorized_client",
  "access_denied",
]);

/** Whether a refusal may mean that the server read the client's credentials in another form. */
export function isUnauthenticated({ answer, accessToken, error }: Outcome): boolean {
  if (accessToken !== undefined) return false;
  return answer.status === 401 || UNAUTHENTICATED.has(error ?? "");
}
