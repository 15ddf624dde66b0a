/** An http or https URL with a host and without user information, in the lower-case spelling of the scheme. */
export const HTTP_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:[/?#][^\s\\]*)?$/;

/** An `HTTP_URL` that ends with its path. */
export const BASE_URL: RegExp = /^https?:\/\/[^\s/?#@\\]+(?:\/[^\s?#\\]*)?$/;

/** What keeps a text from being an http or https URL, as the end of a sentence; nothing when it is one. */
export function httpUrlProblem(text: string): string | undefined {
  if (/\.(?:ya?ml|json)$/.test(text) && !text.includes("://")) {
    return "must begin with http:// or https://; a profile is named with --profile";
  }
  if (!/^https?:\/\//.test(text)) return "must begin with http:// or https://";
  // URL parsing drops some of these and rewrites others, so that the text would no longer be what is sent.
  if (/[\s\\]/.test(text)) return "must have no blanks and no backslashes";
  if (/^[^:]+:\/\/[^/?#]*@/.test(text)) {
    return "must not carry a user name or password; request.headers is the place for credentials";
  }
  if (!HTTP_URL.test(text) || !URL.canParse(text)) {
    return "is not a URL: its host or port is malformed";
  }
  return undefined;
}

/** An http URL that names a host and a port alone. */
export const LISTEN_URL: RegExp = /^http:\/\/[^\s/?#@\\]+\/?$/;

/** What keeps a text from being an address to listen on; nothing when it is one. */
export function listenUrlProblem(text: string): string | undefined {
  return LISTEN_URL.test(text) && URL.canParse(text)
    ? undefined
    : "must be http:// with a host and a port of this machine, such as http://0.0.0.0:9000";
}

/** What keeps a text from being a base URL that routes can be appended to; nothing when it is one. */
export function baseUrlProblem(text: string): string | undefined {
  const problem = httpUrlProblem(text);
  if (problem) return problem;
  return BASE_URL.test(text)
    ? undefined
    : "must end with its path, without query (?) and fragment (#): routes are appended to it";
}
