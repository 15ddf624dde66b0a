import { randomUUID } from "node:crypto";

import { OPERATION_IDS, OPERATIONS } from "../../src/contract/operations.ts";
import {
  DENIED,
  OTHER,
  PRIMARY,
  profileOf,
  type ReceiverOptions,
  SUBJECT,
  WRITE,
} from "./world.ts";

/** A receiver without the token checks. It is the same for each library, so that runs differ only by the library. */

export type Claims = Readonly<Record<string, unknown>>;

interface ApiRequest {
  readonly method: string;
  /** Below the base URL, without the query. */
  readonly path: string;
  readonly query: URLSearchParams;
  readonly body: unknown;
  readonly claims: Claims;
}

export interface ApiAnswer {
  readonly status: number;
  readonly body: unknown;
}

/** How many of the checks that a library leaves to its users are done. */
export type Care = "quick-start" | "careful";

/** What serves a request whose token was checked. The URL may be relative. */
export type Serve = (method: string, url: string, body: unknown, claims: Claims) => ApiAnswer;

interface Mutation {
  readonly id: string;
  readonly content: object;
}

/** The routes, and the profile of a receiver with them. */
export function plainApi(
  options: ReceiverOptions,
  care: Care,
): { readonly serve: Serve; readonly profile: (baseUrl: string) => Record<string, unknown> } {
  const bindingClaim = `${options.claimsNamespace}/org_id`;
  const organizations = new Map(
    [PRIMARY, OTHER, DENIED].map((id) => [id, { id, name: "Charity" }]),
  );
  const feeds = new Map<string, Mutation[]>(
    [PRIMARY, OTHER, DENIED].map((id) => [id, [{ id: randomUUID(), content: {} }]]),
  );

  /** Quick starts show `includes`, and the shortest condition that works with good tokens. */
  function refusal(
    { claims }: ApiRequest,
    scope: string,
    id: string | undefined,
  ): string | undefined {
    const granted = String(claims["scope"]);
    const { [bindingClaim]: bound } = claims;
    if (care === "careful") {
      if (typeof claims["exp"] !== "number") return "the token has no exp";
      if (typeof claims["scope"] !== "string") return "the token's scope is no text";
      if (!granted.split(" ").includes(scope)) return `the token lacks ${scope}`;
      if (id !== undefined && bound !== undefined && bound !== id)
        return "for another organization";
    } else {
      if (!granted.includes(scope)) return `the token lacks ${scope}`;
      if (id !== undefined && bound && bound !== id) return "for another organization";
    }
    return id !== undefined && !mayUse(claims, id) ? "not allowed here" : undefined;
  }

  return {
    serve(method, url, body, claims) {
      const { pathname: path, searchParams: query } = new URL(url, "http://localhost");
      const request: ApiRequest = { method, path, query, body, claims };
      const id = OPERATION_IDS.find(
        (one) => OPERATIONS[one].method === request.method && routeOf(one).test(request.path),
      );
      if (!id) return failed(404, "no such route");
      const [, orgId, changeId] = routeOf(id).exec(request.path) ?? [];
      const why = refusal(request, OPERATIONS[id].scope, orgId);
      if (why !== undefined) return failed(403, why);
      const organization = organizations.get(orgId ?? "");
      const feed = feeds.get(orgId ?? "");
      if (orgId !== undefined && (!organization || !feed))
        return failed(404, "no such organization");
      const written = OPERATIONS[id].writes ? patchOf(request.body) : {};
      if (!written) return { status: 400, body: INVALID };
      switch (id) {
        case "listOrganizations": {
          const { [bindingClaim]: bound } = request.claims;
          const seen = [...organizations.values()].filter(
            (one) => mayUse(request.claims, one.id) && (bound === undefined || bound === one.id),
          );
          return paged(seen, request.query);
        }
        case "viewOrganization":
          return { status: 200, body: organization };
        case "editOrganization":
          Object.assign(organization ?? {}, written);
          feed?.push({ id: randomUUID(), content: written });
          return { status: 200, body: organization };
        case "submitChange": {
          const change = { id: randomUUID(), content: written };
          feed?.push(change);
          return { status: 201, body: change };
        }
        case "readChangesFeed":
          return paged(feed ?? [], request.query);
        case "readChange": {
          const change = feed?.find((one) => one.id === changeId);
          return change ? { status: 200, body: change } : failed(404, "no such change");
        }
      }
    },
    profile(baseUrl) {
      const page = { paginated: true, items: "/items", pagination: "/page" };
      return profileOf(baseUrl, options, {
        listOrganizations: page,
        viewOrganization: { organization: "" },
        editOrganization: WRITE,
        submitChange: { ...WRITE, id: "/id" },
        readChangesFeed: page,
        readChange: { changeId: feeds.get(PRIMARY)?.[0]?.id },
      });
    },
  };
}

/** An Error body of the contract. */
export function failed(status: number, message: string): ApiAnswer {
  return { status, body: { status, message, errors: [] } };
}

const INVALID = {
  status: 400,
  message: "the body is not valid",
  errors: [{ field: "name", message: "is not a text" }],
};

function mayUse({ sub }: Claims, id: string): boolean {
  return sub === SUBJECT && id !== DENIED;
}

function routeOf(id: (typeof OPERATION_IDS)[number]): RegExp {
  return new RegExp(`^${OPERATIONS[id].path.replaceAll(/\{\w+\}/g, "([^/]+)")}$`);
}

function isRight([name, value]: [string, unknown]): boolean {
  return ["name", "mission"].includes(name) && typeof value === "string";
}

/** The two known members, or nothing if the body has others. */
function patchOf(body: unknown): object | undefined {
  if (typeof body !== "object" || body === null || Array.isArray(body)) return undefined;
  const entries = Object.entries(body);
  return entries.length > 0 && entries.every(isRight) ? body : undefined;
}

function paged(all: readonly object[], query: URLSearchParams): ApiAnswer {
  const [page, pageSize] = [query.get("page") ?? "1", query.get("pageSize") ?? "100"].map((text) =>
    /^\d{1,10}$/.test(text) ? Number(text) : 0,
  ) as [number, number];
  const known = [...query.keys()].every((name) => ["page", "pageSize"].includes(name));
  const inBounds = [page, pageSize].every((value) => value >= 1 && value <= 2_147_483_647);
  if (!known || !inBounds) return failed(400, "page and pageSize are integers from 1 on");
  const items = all.slice((page - 1) * pageSize, page * pageSize);
  const totalPages = Math.ceil(all.length / pageSize);
  return {
    status: 200,
    body: { items, page: { page, pageSize, totalItems: all.length, totalPages } },
  };
}
