import { randomUUID } from "node:crypto";
import type { AddressInfo } from "node:net";

import { type FastifyReply, fastify, type FastifyRequest } from "fastify";
import { createLocalJWKSet, type JWTPayload, jwtVerify } from "jose";

import {
  DENIED,
  OTHER,
  PRIMARY,
  profileOf,
  SUBJECT,
  type ReceiverOptions,
  type RunningReceiver,
} from "../receivers/world.ts";

interface Revision {
  readonly id: string;
  readonly [member: string]: unknown;
}

interface Params {
  readonly orgId?: string;
  readonly changeId?: string;
}

/** JSON types of the members of a patch; the document lets all but the name be null. */
const MEMBERS: Readonly<Record<string, "string" | "object">> = {
  name: "string",
  mission: "string",
  yearFounded: "string",
  identifiers: "object",
  orgType: "object",
  addresses: "object",
  phones: "object",
  emails: "object",
  socials: "object",
  customFields: "object",
};
const INT32_MAX = 2_147_483_647;

class Refusal extends Error {
  readonly statusCode: number;
  readonly errors: readonly object[];

  constructor(statusCode: number, message: string, errors: readonly object[] = []) {
    super(message);
    this.statusCode = statusCode;
    this.errors = errors;
  }
}

/**
 * A receiver that is what the CommonGrants document says of the six routes and no more: bodies are
 * merge patches by that media type alone, and answers have the protocol's envelopes.
 */
export async function startCommonGrantsReceiver(
  options: ReceiverOptions,
): Promise<RunningReceiver> {
  const keys = createLocalJWKSet(options.jwks);
  const bindingClaim = `${options.claimsNamespace}/org_id`;
  const organizations = new Map<string, Record<string, unknown>>();
  const changes = new Map<string, Revision[]>();
  for (const [index, id] of [PRIMARY, OTHER, DENIED].entries()) {
    organizations.set(id, { id, name: `Trust ${index}`, yearFounded: "1999" });
    changes.set(id, [revision("accepted", { name: `Trust ${index}` }, organizations.get(id))]);
  }
  let baseUrl = "";
  const app = fastify({
    forceCloseConnections: true,
    // Requests that Fastify refuses before it finds a route, such as a path that is not UTF-8.
    frameworkErrors({ message }, _request, reply) {
      void (reply as FastifyReply).code(400).send({ status: 400, message, errors: [] });
    },
  });
  app.removeAllContentTypeParsers();
  app.addContentTypeParser(
    "application/merge-patch+json",
    { parseAs: "string" },
    app.getDefaultJsonParser("error", "error"),
  );

  async function claimsOf({ raw }: FastifyRequest): Promise<JWTPayload> {
    const [authorization = "", ...more] = raw.headersDistinct["authorization"] ?? [];
    const token = /^Bearer +(\S+)$/i.exec(authorization)?.[1];
    if (token === undefined || more.length > 0) throw new Refusal(401, "A token is required");
    const expected = { issuer: options.issuer, audience: baseUrl, clockTolerance: 30 };
    try {
      const requiredClaims = ["sub", "iat", "exp"];
      return (await jwtVerify(token, keys, { ...expected, requiredClaims })).payload;
    } catch {
      throw new Refusal(401, "The token is not valid");
    }
  }

  function allow(scope: string): (request: FastifyRequest) => Promise<void> {
    return async (request) => {
      const claims = await claimsOf(request);
      if (!String(claims["scope"]).split(" ").includes(scope)) {
        throw new Refusal(403, `The token lacks ${scope}`);
      }
      const { orgId } = request.params as Params;
      const bound = claims[bindingClaim];
      request.setDecorator("visible", (id: string) => {
        const own = bound === undefined || bound === id;
        return own && claims.sub === SUBJECT && id !== DENIED;
      });
      if (orgId === undefined) {
        const known = typeof bound === "string" && organizations.has(bound);
        if (bound !== undefined && !known) throw new Refusal(403, "The token is for nobody here");
        return;
      }
      if (bound !== undefined && bound !== orgId) {
        throw new Refusal(403, "The token is for another organization");
      }
      if (claims.sub !== SUBJECT || orgId === DENIED) throw new Refusal(403, "Not allowed here");
      if (!organizations.has(orgId)) throw new Refusal(404, "There is no such organization");
    };
  }

  const feedOf = (request: FastifyRequest): Revision[] =>
    changes.get((request.params as Params).orgId ?? "") ?? [];

  app.decorateRequest("visible");
  app.get("/common-grants/orgs", { onRequest: allow("org:read") }, (request) => {
    const visible = request.getDecorator<(id: string) => boolean>("visible");
    const ids = [...organizations.keys()].filter(visible);
    const items = ids.map((id) => organizations.get(id));
    return success(paginated(items, query(request, ["page", "pageSize", "registry", "id"])));
  });
  app.get("/common-grants/orgs/:orgId", { onRequest: allow("org:read") }, (request) => {
    query(request, ["at"]);
    return success({ data: organizations.get((request.params as Params).orgId ?? "") });
  });
  app.patch("/common-grants/orgs/:orgId", { onRequest: allow("org:write") }, (request) => {
    const { orgId = "" } = request.params as Params;
    const patch = validated(request.body);
    const edited = merged(organizations.get(orgId), patch) as Record<string, unknown>;
    organizations.set(orgId, edited);
    const change = revision("accepted", patch, edited);
    feedOf(request).unshift(change);
    return success({ data: change });
  });
  const changesPath = "/common-grants/orgs/:orgId/changes";
  app.get(changesPath, { onRequest: allow("org.changes:read") }, (request) =>
    success(paginated(feedOf(request), query(request, ["page", "pageSize"]))),
  );
  app.post(changesPath, { onRequest: allow("org.changes:write") }, (request, reply) => {
    const change = revision("pending", validated(request.body));
    feedOf(request).unshift(change);
    const location = `${baseUrl}/orgs/${(request.params as Params).orgId}/changes/${change.id}`;
    return reply
      .code(202)
      .header("location", location)
      .send(success({ data: change }, 202));
  });
  app.get(`${changesPath}/:changeId`, { onRequest: allow("org.changes:read") }, (request) => {
    const { changeId } = request.params as Params;
    const change = feedOf(request).find(({ id }) => id === changeId);
    if (!change) throw new Refusal(404, "There is no such change");
    return success({ data: change });
  });
  app.setNotFoundHandler(() => {
    throw new Refusal(404, "There is no such route");
  });
  app.setErrorHandler((error: Partial<Refusal>, _request, reply) => {
    const status = error.statusCode ?? 500;
    if (status === 401) void reply.header("www-authenticate", "Bearer");
    const message = status < 500 ? error.message : "The receiver failed";
    return reply.code(status).send({ status, message, errors: error.errors ?? [] });
  });

  await app.listen({ port: 0, host: "127.0.0.1" });
  baseUrl = `http://127.0.0.1:${(app.server.address() as AddressInfo).port}/common-grants`;
  return { baseUrl, profile: profileOf(baseUrl, options, {}), close: () => app.close() };
}

function revision(value: string, patch: object, snapshot?: object): Revision {
  const now = new Date().toISOString();
  const times = { createdAt: now, lastModifiedAt: now };
  return { id: randomUUID(), status: { value }, source: "sync", patch, snapshot, ...times };
}

function success(content: object, status = 200): object {
  return { status, message: "Success", ...content };
}

/** The query, which may have only parameters that the document declares. */
function query(
  { query: given }: FastifyRequest,
  known: readonly string[],
): Record<string, unknown> {
  const surplus = Object.keys(given as object).filter((name) => !known.includes(name));
  if (surplus.length > 0) throw new Refusal(400, `There is no parameter ${surplus.join(", ")}`);
  return given as Record<string, unknown>;
}

function paginated(all: readonly unknown[], asked: Record<string, unknown>): object {
  const [page, pageSize] = [asked["page"] ?? "1", asked["pageSize"] ?? "100"].map((text) => {
    const value = typeof text === "string" && /^\d{1,10}$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > INT32_MAX) throw new Refusal(400, "page and pageSize are integers");
    return value;
  }) as [number, number];
  const items = all.slice((page - 1) * pageSize, page * pageSize);
  const totalPages = Math.ceil(all.length / pageSize);
  return { items, paginationInfo: { page, pageSize, totalItems: all.length, totalPages } };
}

function validated(body: unknown): Record<string, unknown> {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new Refusal(400, "A merge patch is an object", [{ field: "", message: "is no object" }]);
  }
  const errors = Object.entries(body)
    .filter(([name, value]) => {
      if (!Object.hasOwn(MEMBERS, name)) return true;
      return value === null ? name === "name" : typeof value !== MEMBERS[name];
    })
    .map(([field]) => ({ field, message: "is not a value that this member can have" }));
  if (errors.length > 0) throw new Refusal(400, "The patch is not valid", errors);
  return body as Record<string, unknown>;
}

/** RFC 7396. */
function merged(target: unknown, patch: unknown): unknown {
  if (typeof patch !== "object" || patch === null || Array.isArray(patch)) return patch;
  const result = { ...(typeof target === "object" ? target : {}) } as Record<string, unknown>;
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) delete result[name];
    else result[name] = merged(result[name], value);
  }
  return result;
}
