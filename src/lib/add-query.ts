/**
 * Adds to the query of a path or URI without fragment, RFC 3986 §3.4.
 * @param query such as `page=2`, percent-encoded where needed
 */
export function addQuery(uri: string, query: string): string {
  return `${uri}${uri.includes("?") ? "&" : "?"}${query}`;
}
