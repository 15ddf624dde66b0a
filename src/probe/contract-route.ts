import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { Facts } from "../profile/facts.ts";
import { pathTemplate } from "./request.ts";

/** nginx answers longer header lines with 400 and its own page. Other servers have higher limits. */
const LONGEST_HEADER_BYTES = 7 * 1024;
/**
 * Unreserved characters (RFC 3986 §2.3), and percent-encoded ones other than separators, dots and
 * control characters.
 */
const PLAIN_SEGMENT = /^(?:[\w.~-]|%(?!2[ef]|5c|3b|25|[01])[\da-f]{2})+$/i;
/** A percent-encoded unreserved character: no client encodes it, RFC 3986 §2.3, so a server in front may refuse it. */
const ENCODED_IN_VAIN = /%(?:2[de]|3\d|[46][1-9a-f]|[57][\da]|5f|7e)/i;
/** What looks like an attack on a database. A filter in front may refuse it in its own words. */
const INJECTED = /(?:'|%2[27])%20OR%20/i;
const DOTS_OR_FILE = /^\.+$|\.[a-z]+$/i;
/** Some servers cut off longer ids before the application sees them. */
const LONGEST_SEGMENT = 255;
/** nginx refuses bodies above 1 MiB by default. */
const LONGEST_BODY_BYTES = 512 * 1024;
const PLAIN_VALUE = /^[ -~]*$/;
/** Header fields that name another destination or turn the request into another one. */
const REROUTING =
  /^(host|forwarded|x-(http-)?method|x-forwarded-(host|proto|port|prefix)|x-original-|x-rewrite-|access-control-request-)/i;
/** A parameter of the query that turns the request into another one. */
const OVERRIDING = /[?&]_method=/;
/** A query with a path in it. A server in front may take its end for that of the request's path. */
const PATH_IN_QUERY = /\?.*\//;

/**
 * Whether a request is exactly one of the contract's routes, so that the application itself must
 * answer it. A server or gateway may answer any other request with 400 or 404 on its own. A response
 * to HEAD has no body, RFC 9110 §9.3.2.
 */
export function isContractRoute(
  target: Pick<Facts, "basePath" | "operations" | "request">,
  operation: Operation,
  { method, path, headers, body = "" }: HttpRequest,
): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  const ofProfile = { ...target.request.headers, ...target.operations[operation.id]?.headers };
  const isKnown = new Set(Object.keys(ofProfile).map((name) => name.toLowerCase()));
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return (
    method === operation.method &&
    // In a GET, a body has no meaning (RFC 9110 §9.3.1). Several gateways refuse such a request in their own words.
    (operation.writes || body === "") &&
    isRoute(pathTemplate(target, operation), path.split("?", 1)[0] ?? "") &&
    !OVERRIDING.test(path) &&
    !PATH_IN_QUERY.test(path) &&
    new Set(names).size === names.length &&
    !names.some((name) => REROUTING.test(name)) &&
    // Servers remove fields with an underscore in their names, or refuse the request, unless they are told to pass them on.
    !names.some((name) => name.includes("_") && !isKnown.has(name)) &&
    headers.every(([, value]) => PLAIN_VALUE.test(value)) &&
    bytes + path.length <= LONGEST_HEADER_BYTES &&
    body.length <= LONGEST_BODY_BYTES
  );
}

/** Whether a path matches a template such as `/orgs/{orgId}`, one plain segment a parameter. */
function isRoute(template: string, path: string): boolean {
  const wanted = template.split("/");
  const segments = path.split("/");
  return (
    segments.length === wanted.length &&
    wanted.every((part, at) =>
      part.startsWith("{") ? isPlain(segments[at] ?? "") : segments[at] === part,
    )
  );
}

function isPlain(segment: string): boolean {
  return (
    segment.length <= LONGEST_SEGMENT &&
    PLAIN_SEGMENT.test(segment) &&
    !DOTS_OR_FILE.test(segment) &&
    !ENCODED_IN_VAIN.test(segment) &&
    !INJECTED.test(segment) &&
    isDecodable(segment)
  );
}

/** Whether the percent-encoding is valid UTF-8. */
function isDecodable(segment: string): boolean {
  try {
    // The result is used, because bundlers drop a call that has no other effect than to throw.
    return decodeURIComponent(segment) !== "";
  } catch {
    return false;
  }
}
