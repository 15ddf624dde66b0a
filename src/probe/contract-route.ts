import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { Target } from "../profile/target.ts";
import { pathTemplate } from "./request.ts";

/** nginx answers 400 with a page of its own to a longer line of the header; others draw the line later. */
const LONGEST_HEADER_BYTES = 7 * 1024;
/** Characters of RFC 3986 §2.3, and escapes but those of separators, dots and control characters. */
const PLAIN_SEGMENT = /^(?:[\w.~-]|%(?!2[ef]|5c|3b|25|[01])[\da-f]{2})+$/i;
const DOTS_OR_FILE = /^\.+$|\.[a-z]+$/i;
/** Longer ids are cut off by some servers before any application sees them. */
const LONGEST_SEGMENT = 255;
/** nginx takes no body of more than 1 MiB unless it is told to. */
const LONGEST_BODY_BYTES = 512 * 1024;
const PLAIN_VALUE = /^[ -~]*$/;
/** Headers that say where a request goes, or make another one of it. */
const REROUTING = /^(host|forwarded|x-(http-)?method|x-forwarded-host|x-original-|x-rewrite-)/i;

/**
 * Whether a request is one of the contract's routes to the letter, so that whatever is answered is
 * the application's answer. To anything else a server or gateway may say 400 or 404 by itself, and
 * an answer to HEAD has no body, RFC 9110 §9.3.2.
 */
export function isContractRoute(
  target: Target,
  operation: Operation,
  { method, path, headers, body = "" }: HttpRequest,
): boolean {
  const names = headers.map(([name]) => name.toLowerCase());
  const bytes = headers.reduce((sum, [name, value]) => sum + name.length + value.length, 0);
  return (
    method === operation.method &&
    isRoute(pathTemplate(target, operation), path.split("?", 1)[0] ?? "") &&
    new Set(names).size === names.length &&
    !names.some((name) => REROUTING.test(name)) &&
    headers.every(([, value]) => PLAIN_VALUE.test(value)) &&
    bytes + path.length <= LONGEST_HEADER_BYTES &&
    body.length <= LONGEST_BODY_BYTES
  );
}

/** Whether a path is that of a template such as `/orgs/{orgId}`, each parameter one plain segment. */
function isRoute(template: string, path: string): boolean {
  const wanted = template.split("/");
  const segments = path.split("/");
  return (
    segments.length === wanted.length &&
    wanted.every((part, index) => {
      const segment = segments[index] ?? "";
      if (!part.startsWith("{")) return segment === part;
      return isPlain(segment);
    })
  );
}

function isPlain(segment: string): boolean {
  return (
    segment.length <= LONGEST_SEGMENT &&
    PLAIN_SEGMENT.test(segment) &&
    !DOTS_OR_FILE.test(segment) &&
    isDecodable(segment)
  );
}

/** Whether its escapes are UTF-8. */
function isDecodable(segment: string): boolean {
  try {
    decodeURIComponent(segment);
    return true;
  } catch {
    return false;
  }
}
