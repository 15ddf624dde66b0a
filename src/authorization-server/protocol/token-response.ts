import { isUnclearStatus } from "../../http/statuses.ts";
import { isObject, parseJson } from "../../lib/json.ts";
import { inShort } from "./metadata.ts";
import type { TokenResponse } from "./token-request.ts";

/** The answer of an endpoint at which clients authenticate, as far as it accepts or refuses the request. */
type Outcome = Pick<TokenResponse, "answer" | "accessToken" | "error">;

/** Whether there was no response of the token endpoint, or one that says nothing about the request. */
export function isUnclear({ answer: { status }, accessToken }: Outcome): boolean {
  return accessToken === undefined && isUnclearStatus(status);
}

export function describeResponse({ answer, accessToken, error }: Outcome): string {
  if (accessToken !== undefined) return `${inShort(answer)} and an access token`;
  return error === undefined ? inShort(answer) : `${inShort(answer)}, ${inline(error)}`;
}

/** Like `describeResponse`, with the server's own explanation, for a good request that was refused. */
export function explainResponse(response: Outcome): string {
  // Only the record is redacted.
  const body = parseJson(response.answer.reply.exchange.response?.body ?? "");
  return (
    describeResponse(response) + explanation(isObject(body) ? body["error_description"] : undefined)
  );
}

/** An error in a redirect, with the server's own explanation. */
export function explainError(error: string, parameters: URLSearchParams): string {
  return `the error ${inline(error)}${explanation(parameters.get("error_description"))}`;
}

/** The first sentence of an `error_description`. Later ones often have ids and times, which differ each time. */
function explanation(description: unknown): string {
  const [first = ""] =
    typeof description === "string" ? description.trim().split(/\.(?:\s|$)|[\r\n]/) : [];
  return first === "" ? "" : ` (${inline(first, LONGEST_EXPLANATION)})`;
}

const LONGEST_EXPLANATION = 160;

/** The server's text for display: printable ASCII (NQSCHAR of RFC 6749), cut to 60 characters. */
export function inline(text: string, longest = 60): string {
  return text.replaceAll(/[^ -~]/g, "?").slice(0, longest);
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

/**
 * Whether a response says nothing about the parameters of the request: it is unclear, or the client was not authenticated, as
 * where the server has locked it after wrong secrets.
 */
export function isBesideTheRequest(response: TokenResponse): boolean {
  return isUnclear(response) || isUnauthenticated(response);
}
