import { randomUUID } from "node:crypto";

import { type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import type { HttpRequest } from "../../src/http/exchange.ts";
import { isObject, parseJson } from "../../src/lib/json.ts";
import { addQuery } from "../../src/lib/uri.ts";
import { each, type Mutation, withHeaders } from "../../src/mutations/mutation.ts";
import { spelledNames } from "../../src/mutations/request/separators.ts";
import type { Facts } from "../../src/profile/facts.ts";
import { ORGANIZATION_NAMES } from "./mutations/requests.ts";

/** Where a request can name an organization outside the path, and how. */
export type Place = "query" | "headers" | "body";

/** The usual names of an organization in a header. */
const HEADERS = ["org", "organization", "tenant"].flatMap((word) => [
  `x-${word}-id`,
  `x-${word}`,
  `${word}-id`,
]);

/** Headers in which gateways name the path that was requested. */
const ROUTING = ["x-original-url", "x-rewrite-url"];

/** Ways to name an organization that a request can have side by side. */
export interface Form {
  readonly names: readonly string[];
  /** How many names are tried alone where the request with all of them is refused. */
  readonly alone: number;
  /** Whether no write has it. Default: false. */
  readonly readsOnly?: boolean;
  readonly add: (
    spec: HttpRequest,
    names: readonly string[],
    id: string,
    facts: Facts,
  ) => HttpRequest;
}

const FORMS: Readonly<Record<Place, readonly Form[]>> = {
  query: [
    { names: ORGANIZATION_NAMES, alone: 6, add: inQuery },
    { names: ["organization[id]", "org[id]", "orgId[]", "filter[orgId]"], alone: 1, add: inQuery },
    { names: ["orgId", "org_id", "organizationId", "tenantId"], alone: 0, add: inParameters },
  ],
  headers: [
    {
      names: HEADERS,
      alone: 6,
      add: (spec, names, id, facts) => withHeaders(spec, facts, each(names, id)),
    },
    { names: ["cookie", ...ROUTING], alone: 3, add: inIndirectHeaders },
    ...spelledNames([...HEADERS, ...ROUTING]).map((names) => ({
      names,
      alone: 0,
      readsOnly: true,
      add: inRespelledHeaders,
    })),
  ],
  body: [
    {
      names: ORGANIZATION_NAMES,
      alone: 6,
      add: (spec, names, id) => withMembers(spec, each(names, id)),
    },
    { names: ["organization", "org", "tenant", "data"], alone: 1, add: inObjects },
  ],
};

/**
 * All forms for a bound token, in a body or on the first route that may act on an organization so. Elsewhere the most usual form,
 * because a framework treats all routes alike.
 */
export function formsOf(operation: OperationId, place: Place, bound: boolean): readonly Form[] {
  const isFirst = operation === "viewOrganization" || operation === "editOrganization";
  const all = FORMS[place].filter(({ readsOnly }) => !readsOnly || !OPERATIONS[operation].writes);
  const forms = bound && (isFirst || place === "body") ? all : all.slice(0, 1);
  return isFirst ? forms : forms.map((form) => ({ ...form, alone: Math.min(form.alone, 2) }));
}

/** All names of a form together, then the most usual ones alone, for a receiver that refuses what it does not know. */
export function namings({ names, alone }: Form): readonly (readonly string[])[] {
  return [names, ...names.slice(0, alone).map((name) => [name])];
}

/** Objects in a body that may name an organization. `data` is left out, because a body in it may be taken for the whole. */
const OBJECTS = ["organization", "org", "tenant"];

/** In members and in objects of the body, under all usual names but `id`, which is the organization's own. */
export const IN_BODY: Form = {
  names:
    "orgId org_id organizationId organization_id organization tenantId tenant_id tenant org".split(
      " ",
    ),
  alone: 5,
  add: (spec, names, id) =>
    withMembers(
      spec,
      Object.fromEntries(
        names.map((name) => [name, OBJECTS.includes(name) ? each(ORGANIZATION_NAMES, id) : id]),
      ),
    ),
};

export function naming(
  place: Place,
  { add }: Form,
  names: readonly string[],
  id: string,
): Mutation {
  return {
    name: names.length === 1 ? `${place}-${names[0]}` : place,
    what: `${names.join(", ")} in the ${place} name another organization`,
    request: (spec, { target }) => add(spec, names, id, target),
  };
}

function inQuery(spec: HttpRequest, names: readonly string[], id: string): HttpRequest {
  const query = names.map((name) => `${encodeURIComponent(name)}=${id}`).join("&");
  return { ...spec, path: addQuery(spec.path, query) };
}

/** As parameters of the last segment of the path, RFC 3986 §3.3. */
function inParameters(spec: HttpRequest, names: readonly string[], id: string): HttpRequest {
  const [path = "", ...query] = spec.path.split("?");
  const parameters = names.map((name) => `;${name}=${id}`).join("");
  return { ...spec, path: [`${path}${parameters}`, ...query].join("?") };
}

/** In cookies, and in the path that a gateway says was requested. */
function inIndirectHeaders(
  spec: HttpRequest,
  names: readonly string[],
  id: string,
  facts: Facts,
): HttpRequest {
  const cookies = ORGANIZATION_NAMES.map((name) => `${name}=${id}`).join("; ");
  const requested = spec.path.replace(/(\/orgs\/)[^/?;]+/, `$1${id}`);
  return withHeaders(
    spec,
    facts,
    Object.fromEntries(names.map((name) => [name, name === "cookie" ? cookies : requested])),
  );
}

/** Whether a header, however it is spelled, names the path that was requested. */
function isRouting(name: string): boolean {
  return ROUTING.includes(name.replaceAll("_", "-"));
}

/** In headers whose names are written with underscores, as ids or in the path that was requested. */
function inRespelledHeaders(
  spec: HttpRequest,
  names: readonly string[],
  id: string,
  facts: Facts,
): HttpRequest {
  const ids = names.filter((name) => !isRouting(name));
  const withIds = withHeaders(spec, facts, each(ids, id));
  return inIndirectHeaders(withIds, names.filter(isRouting), id, facts);
}

/** In objects, each of which has the id under all usual names. */
function inObjects(spec: HttpRequest, names: readonly string[], id: string): HttpRequest {
  return withMembers(spec, each(names, each(ORGANIZATION_NAMES, id)));
}

function withMembers(spec: HttpRequest, members: Readonly<Record<string, unknown>>): HttpRequest {
  if (spec.body === undefined) {
    // Few servers expect a body with GET, and one that leaves it unread spoils its connection.
    return {
      ...spec,
      body: JSON.stringify(members),
      headers: [...spec.headers, ["content-type", "application/json"]],
      connection: randomUUID(),
    };
  }
  const body = parseJson(spec.body);
  if (!isObject(body)) return spec;
  const merged = Object.entries(members).map(([name, value]) => {
    const own = body[name];
    // What the body has already stays, such as an object of the profile in which the values are.
    return [name, isObject(own) && isObject(value) ? { ...value, ...own } : value];
  });
  return { ...spec, body: JSON.stringify({ ...body, ...Object.fromEntries(merged) }) };
}
