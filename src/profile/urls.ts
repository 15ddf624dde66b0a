/** An http or https URL with a host and no user information. The scheme is in lower case. */
export const HTTP_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/;

/** An `HTTP_URL` that ends with its path. */
export const BASE_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/;

/** Why a text is not an http or https URL, as the end of a sentence; `undefined` when it is one. */
export function httpUrlProblem(text: string): string | undefined {
  if (/\.(?:ya?ml|json)$/.test(text) && !text.includes("://")) {
    return "must begin with http:// or https://; a profile is named with --profile";
  }
  if (!/^https?:\/\//.test(text)) return "must begin with http:// or https://";
  // URL parsing drops or rewrites some of these, so the suite would send something other than the
  // text.
  if (/[\s\\]/.test(text)) return "must not contain spaces or backslashes";
  if (/^[^:]+:\/\/[^/?#]*@/.test(text)) {
    return "must not contain a user name or password; put credentials into request.headers";
  }
  if (!HTTP_URL.test(text) || !URL.canParse(text)) {
    return "is not a URL: its host or port is malformed";
  }
  return undefined;
}

/** An http URL with only a host and a port. */
export const LISTEN_URL: RegExp = /^http:\/\/[^\s/?#@\\]+\/?$/;

/** Why a text is not an address to listen on; `undefined` when it is one. */
export function listenUrlProblem(text: string): string | undefined {
  return LISTEN_URL.test(text) && URL.canParse(text)
    ? undefined
    : "must be http:// with a host and a port of this machine, such as http://0.0.0.0:9000";
}

/** Why a text is not a base URL that routes can be appended to; `undefined` when it is one. */
export function baseUrlProblem(text: string): string | undefined {
  const problem = httpUrlProblem(text);
  if (problem) return problem;
  return BASE_URL.test(text)
    ? undefined
    : "must end with its path, without a query (?) or fragment (#): routes are appended to it";
}
