/**
 * Adds to the query of a path or URI without fragment, RFC 3986 §3.4.
 * @param query such as `page=2`, percent-encoded where needed
 */
export function addQuery(uri: string, query: string): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${query}`;
}

/** Whether a value is a URL, apart from a slash at the end of either. */
export function isEqualUpToSlash(value: unknown, url: string): value is string {
  return typeof value === "string" && withoutSlash(value) === withoutSlash(url);
}

function withoutSlash(url: string): string {
  return url.replace(/\/$/, "");
}
