import { type Operation, type OperationId, OPERATIONS } from "../contract/operations.ts";
import type { Known } from "./known.ts";
import { type AskedRequest, queryOf } from "./request.ts";

/** An operation that a request may be taken for. */
export interface Reading {
  readonly operation: Operation;
  /** The ids in the path, decoded. */
  readonly organization: string | undefined;
  readonly changeId: string | undefined;
  /**
   * - `exactly`: method and path are those of the route
   * - `nearly`: a router may take them for it, after it has normalised the path or the method
   * - `head`: HEAD in place of GET, whose answer shows nothing
   */
  readonly matches: "exactly" | "nearly" | "head";
}

/** The operations that a request may be taken for, the contract's own reading first. None for a request that is no route. */
export function readingsOf(request: AskedRequest, known: Known): Reading[] {
  const path = request.target.split("?", 1)[0] ?? "";
  const exact = readingOf(request.method, path, known);
  const methods = [...(exact ? [] : [request.method]), ...overridesOf(request)];
  const near = methods.flatMap((method) => {
    const readings = nearPaths(path, known).flatMap(
      (one) => readingOf(method, one, known, true) ?? [],
    );
    return readings.slice(0, 1);
  });
  return [...(exact ? [exact] : []), ...near];
}

function readingOf(
  method: string,
  path: string,
  known: Known,
  isNear = false,
): Reading | undefined {
  const isHead = method === "HEAD";
  const sought = isHead ? "GET" : method;
  for (const [id, own] of Object.entries(known.operations)) {
    const operation = OPERATIONS[id as OperationId];
    if (operation.method !== sought) continue;
    const slash = own.trailingSlash && !isNear ? "/" : "";
    const ids = match(known.basePath + operation.path + slash, path);
    if (!ids) continue;
    const matches = isHead ? "head" : isNear ? "nearly" : "exactly";
    return { operation, organization: ids["orgId"], changeId: ids["changeId"], matches };
  }
  return undefined;
}

/** The ids in a path that matches a template; `undefined` where it does not match, or spells an id in an unusual way. */
function match(template: string, path: string): Record<string, string> | undefined {
  const wanted = template.split("/");
  const segments = path.split("/");
  if (wanted.length !== segments.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [at, one] of wanted.entries()) {
    const segment = segments[at] ?? "";
    const name = /^\{(\w+)\}$/.exec(one)?.[1];
    const id = name === undefined ? undefined : decoded(segment);
    if (name === undefined ? segment !== one : !id || encodeURIComponent(id) !== segment) {
      return undefined;
    }
    if (name !== undefined && id !== undefined) ids[name] = id;
  }
  return ids;
}

function decoded(segment: string): string | undefined {
  try {
    return decodeURIComponent(segment);
  } catch {
    return undefined;
  }
}

/** Header fields and parameters in which frameworks look for another method. */
const OVERRIDING = new Set(["x-http-method-override", "x-http-method", "x-method-override"]);

/** The methods that a request names beside its own, in upper case. */
export function overridesOf(request: AskedRequest): string[] {
  const fields = request.fields.flatMap(([name, value]) =>
    OVERRIDING.has(name.replaceAll("_", "-")) ? [value] : [],
  );
  const parameters = queryOf(request).flatMap(([name, value]) =>
    name === "_method" ? [value] : [],
  );
  const inBody = /["']?_method["']?\s*[=:]\s*["']?(\w+)/.exec(request.body ?? "")?.[1];
  return [...fields, ...parameters, ...(inBody ? [inBody] : [])].map((one) => one.toUpperCase());
}

const DECODED_AT_MOST = 3;

/** A path as lenient chains of proxies and routers may see it: whole, or else up to what looks like a fragment or a parameter. */
function nearPaths(path: string, known: Known): string[] {
  let text = path.replace(/^[a-z][a-z\d+.-]*:\/\/[^/]*/i, "");
  for (let time = 0; time < DECODED_AT_MOST; time++) text = decoded(text) ?? text;
  const cut = [text, text.replace(/#.*$/s, ""), text.replace(/[#;].*$/s, "")];
  return [...new Set(cut.map((one) => normalised(one, known)))];
}

/** A decoded path without parameters, empty segments, dots and extension, and with its words in lower case. */
function normalised(text: string, { basePath }: Known): string {
  const kept: string[] = [];
  for (const segment of text.replaceAll("\\", "/").split("/")) {
    const name = segment.replace(/;.*$/, "");
    if (name === "..") kept.pop();
    else if (name !== "" && name !== ".") kept.push(name);
  }
  const plain = `/${kept.join("/")}`.replace(/\.(?:json|html|css|js)$/, "");
  const start = plain.slice(0, basePath.length);
  if (start.toLowerCase() !== basePath.toLowerCase()) return plain;
  const rest = plain
    .slice(basePath.length)
    .replaceAll(/\/(?:orgs|changes)(?=\/|$)/gi, (one) => one.toLowerCase());
  return basePath + rest.split("/").map(encodeURIComponent).join("/");
}
