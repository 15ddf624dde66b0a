import { createHash, randomUUID } from "node:crypto";

import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { Facts } from "../profile/facts.ts";

/** The parameters of a path. */
export interface PathParams {
  readonly organization?: string | undefined;
  readonly changeId?: string | undefined;
}

/** A request for an operation, without credentials. */
export interface BuiltRequest {
  readonly spec: HttpRequest;
  /** The value of `${unique}` in the body. Absent where there is no body. */
  readonly unique?: string | undefined;
}

/** Builds the plain request for an operation, as the profile describes it. */
export function buildRequest(target: Facts, operation: Operation, place: PathParams): BuiltRequest {
  const path = pathTemplate(target, operation)
    .replace("{orgId}", segment(place.organization))
    .replace("{changeId}", segment(place.changeId));
  const profile = target.operations[operation.id];
  const unique = newUnique();
  const headers = Object.entries(profile?.headers ?? {}).map(
    ([name, value]) => [name, value.replaceAll("${unique}", unique)] as const,
  );
  if (!operation.writes) return { spec: { method: operation.method, path, headers } };
  return {
    unique,
    spec: {
      method: operation.method,
      path,
      headers: [["content-type", profile?.contentType ?? "application/json"], ...headers],
      body: bodyText(profile?.body ?? {}, unique),
    },
  };
}

/** An operation's path from the root of the origin, with `{orgId}` and `{changeId}`. */
export function pathTemplate(
  target: Pick<Facts, "basePath" | "operations">,
  { id, path }: Operation,
): string {
  return target.basePath + path + (target.operations[id]?.trailingSlash ? "/" : "");
}

const UNIQUE_DIGITS = 18;
const UNIQUE = new RegExp(`conformance-[\\da-f]{${UNIQUE_DIGITS}}`);

/** A value that no other request of any run has. */
export function newUnique(): string {
  // Node draws the bytes of many UUIDs at once, which takes a fraction of the time of drawing some for each request.
  return `conformance-${randomUUID().replaceAll("-", "").slice(0, UNIQUE_DIGITS)}`;
}

/** The value of `newUnique` in a text. */
export function uniqueIn(text: string): string | undefined {
  return UNIQUE.exec(text)?.[0];
}

/** An id as one path segment. A lone surrogate, which no URL can carry, becomes U+FFFD. */
function segment(id = ""): string {
  return encodeURIComponent(id.replaceAll(/\p{Cs}/gu, "\uFFFD"));
}

/** A body of the profile as sent: a string as it is, else as JSON, with `${unique}` replaced. */
export function bodyText(body: unknown, unique: string): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.replaceAll("${unique}", unique);
}

/**
 * The unmarked sample: some requests are sent without the suite's marks, to find a receiver that is
 * strict only with marked requests. It does not find a receiver that recognises the test issuer.
 */

/** An ordinary client's values in place of the suite's marks. */
const ORDINARY = { "user-agent": "axios/1.7.9", "conformance-case": undefined } as const;

/** A request as an ordinary client sends it. Headers of the profile stay. */
export function withoutMarks(spec: HttpRequest): HttpRequest {
  return { ...spec, standing: { ...spec.standing, ...ORDINARY } };
}

/** A version 4 UUID (RFC 9562 §5.4) that only the seed and the label determine. */
export function seededUuid(seed: number, label: string): string {
  const bytes = createHash("sha256").update(`${seed}\n${label}`).digest().subarray(0, 16);
  bytes[6] = ((bytes[6] ?? 0) & 0x0f) | 0x40;
  bytes[8] = ((bytes[8] ?? 0) & 0x3f) | 0x80;
  const hex = bytes.toString("hex");
  return [0, 8, 12, 16, 20].map((at, i, all) => hex.slice(at, all[i + 1])).join("-");
}
