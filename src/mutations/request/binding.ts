import type { HttpRequest } from "../../http/exchange.ts";
import { otherCase } from "../../lib/words.ts";
import {
  each,
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  withHeaders,
} from "../mutation.ts";
import { binding, boundElsewhere, elsewhere } from "../token/binding.ts";
import { respelled } from "./separators.ts";

/**
 * Requests with a token that is bound to another organization. Something other than the path names an
 * organization, or the path is written so that two parsers may read it differently.
 */

type Rewrite = (
  spec: HttpRequest,
  id: string,
  other: string,
  context: MutationContext,
) => HttpRequest;

/** Names by which services select a tenant outside the path. */
const HEADERS = ["x-org-id", "x-organization-id", "x-tenant-id"];
const PARAMETERS = ["orgId", "org_id", "organizationId", "organization_id"];

/**
 * The organization that the token is bound to. In a write that names it outside the path, it must not
 * exist: there is no consent to writes there, and a receiver might take it for the target.
 */
function decoy(context: MutationContext): string {
  return context.operation.writes ? context.uuid("bound nowhere") : elsewhere(context);
}

/** A request with a token that is bound to another organization. */
function requesting(
  name: string,
  what: string,
  rewrite: Rewrite,
  { own = false }: { own?: boolean } = {},
): InvalidMutation {
  return {
    ...boundElsewhere,
    name,
    what: `the token is bound to another organization; ${what}`,
    token: binding(decoy),
    // No authorization server issues a token for an organization that does not exist.
    asks: ({ operation, otherOrganization: organization }) =>
      operation.writes && !own ? undefined : { organization },
    request: (spec, context) => rewrite(spec, context.organization ?? "", decoy(context), context),
  };
}

function withQuery(spec: HttpRequest, value: string): HttpRequest {
  const query = PARAMETERS.map((name) => `${name}=${value}`).join("&");
  return { ...spec, path: `${spec.path}?${query}` };
}

function withMembers(spec: HttpRequest, members: Readonly<Record<string, string>>): HttpRequest {
  const body = JSON.parse(spec.body ?? "{}") as object;
  return { ...spec, body: JSON.stringify({ ...body, ...members }) };
}

/** Header fields and query parameters that name an organization. */
export const conflicts: readonly InvalidMutation[] = [
  requesting(
    "headers-other",
    "so do X-Org-Id and similar headers",
    (spec, _id, other, { target }) => withHeaders(spec, target, each(HEADERS, other)),
  ),
  requesting(
    "headers-own",
    "X-Org-Id and similar headers name the organization in the path",
    (spec, id, _other, { target }) => withHeaders(spec, target, each(HEADERS, id)),
    { own: true },
  ),
  requesting("query-other", "so does the query", (spec, _id, other) => withQuery(spec, other)),
  requesting("query-own", "the query names the organization in the path", withQuery, {
    own: true,
  }),
];

/** The header fields under names that are written with underscores, for reads alone. */
export const respelledConflicts: readonly InvalidMutation[] = conflicts
  .filter(({ name }) => name.startsWith("headers-"))
  .flatMap(respelled);

/** Members of the body that name the token's organization. They need a body that is a JSON object. */
export const bodyConflicts: readonly InvalidMutation[] = [
  requesting("body-id", "so does `id` in the body", (spec, _id, other) =>
    withMembers(spec, { id: other }),
  ),
  requesting(
    "body-organization",
    "so do `orgId` and similar members of the body",
    (spec, _id, other) => withMembers(spec, each(PARAMETERS, other)),
  ),
];

/** An id whose first character is percent-encoded, which names the same resource, RFC 3986 section 6.2.2.2. */
export function encoded(id: string): string {
  const code = id.codePointAt(0)?.toString(16).toUpperCase() ?? "";
  return `%${code}${id.slice(1)}`;
}

/** Replaces the organization in the path. */
function path(name: string, segment: (id: string, other: string) => string): InvalidMutation {
  const example = segment("{orgId}", "{token's}");
  return requesting(`path-${name}`, `the path is \`/orgs/${example}\``, (spec, id, other) => ({
    ...spec,
    path: spec.path.replace(id, segment(id, other)),
  }));
}

/**
 * Paths that lead to the organization only after normalisation. They are not exactly routes of the
 * contract, so any answer is fine that does not show the organization.
 */
export const pathTricks: readonly Mutation[] = [
  path("dots", (id, other) => `${other}/../${id}`),
  path("slashes-encoded", (id, other) => `${other}%2f..%2f${id}`),
  requesting(
    "path-trailing-slash",
    "the path ends in a slash",
    (spec) => ({ ...spec, path: `${spec.path}/` }),
    { own: true },
  ),
];

/** More of them, which one operation is enough for. */
export const morePathTricks: readonly Mutation[] = [
  path("doubled-slash", (id) => `/${id}`),
  path("dots-encoded", (id, other) => `${other}/%2e%2e/${id}`),
  path("encoded-twice", (id, other) => `${other}%252f..%252f${id}`),
  path("backslashes", (id, other) => `${other}\\..\\${id}`),
  path("dots-parameter", (id, other) => `${other}/..;/${id}`),
  path("parameter", (id, other) => `${id};id=${other}`),
  path("other-case", otherCase),
  path("id-encoded", encoded),
  path("extension", (id) => `${id}.json`),
  requesting("path-route-case", "the route is written `/ORGS`", (spec, id) => ({
    ...spec,
    path: spec.path.replace(`/orgs/${id}`, `/ORGS/${id}`),
  })),
];
