import { randomBytes } from "node:crypto";

import type { Operation } from "../contract/operations.ts";
import type { HttpRequest } from "../http/exchange.ts";
import type { Target } from "../profile/target.ts";

/** What a request is about. */
export interface PathParams {
  readonly organization?: string | undefined;
  readonly changeId?: string | undefined;
}

/** A request for an operation, without credentials. */
export interface BuiltRequest {
  readonly spec: HttpRequest;
  /** The value that stands for `${unique}` in this request's body, when it has a body. */
  readonly unique?: string | undefined;
}

/** Builds the plain request for an operation, as the profile says the deployment wants it. */
export function buildRequest(
  target: Target,
  operation: Operation,
  place: PathParams,
): BuiltRequest {
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
export function pathTemplate(target: Target, { id, path }: Operation): string {
  return target.basePath + path + (target.operations[id]?.trailingSlash ? "/" : "");
}

/** A value that no other request of any run has. */
export function newUnique(): string {
  return `conformance-${randomBytes(9).toString("hex")}`;
}

/** An id as one segment of a path; half a character, which no URL can carry, as what stands for such. */
function segment(id = ""): string {
  return encodeURIComponent(id.replaceAll(/\p{Cs}/gu, "\uFFFD"));
}

/** A body of the profile as it is sent: text as it is, anything else as JSON, `${unique}` replaced. */
export function bodyText(body: unknown, unique: string): string {
  const text = typeof body === "string" ? body : JSON.stringify(body);
  return text.replaceAll("${unique}", unique);
}
