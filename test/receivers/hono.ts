import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { Readable } from "node:stream";

import { type Env, Hono, type MiddlewareHandler } from "hono";
import { HTTPException } from "hono/http-exception";
import { jwk } from "hono/jwk";
import type { ContentfulStatusCode } from "hono/utils/http-status";

import { close, listen } from "../support/listening.ts";
import {
  DENIED,
  OTHER,
  PRIMARY,
  profileOf,
  SUBJECT,
  type ReceiverOptions,
  type RunningReceiver,
  WRITE,
} from "./world.ts";

type Environment = { Variables: { jwtPayload: Record<string, unknown> } };

/**
 * A receiver on hono with its JWK middleware, set up as its documentation says. The middleware checks
 * `exp` only where a token has one; that is left as it is, because it is what people get.
 * Lists are bare arrays without pages, an edit answers 204, and changes are numbered.
 */
export async function startHonoReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const organizations = new Map<string, Record<string, unknown>>();
  const changes = new Map<string, { number: number; patch: unknown }[]>();
  for (const id of [PRIMARY, OTHER, DENIED]) {
    organizations.set(id, { id, name: `Foundation ${id.slice(0, 4)}` });
    changes.set(id, [{ number: 1, patch: {} }]);
  }

  const app = new Hono<Environment>();
  const server = createServer((request, response) => void adapt(app, request, response));
  const baseUrl = await listen(server);

  app.use(
    "*",
    jwk({
      keys: options.jwks.keys,
      alg: ["RS256", "PS256", "ES256", "EdDSA"],
      verification: { iss: options.issuer, aud: baseUrl },
    }),
  );

  const bindingClaim = `${options.claimsNamespace}/org_id`;
  const allow =
    (scope: string): MiddlewareHandler<Environment> =>
    async (c, next) => {
      const claims = c.get("jwtPayload");
      const granted = claims["scope"];
      // The text of a list of lists is that of its one element.
      if (typeof granted !== "string" || !granted.split(" ").includes(scope)) {
        throw new HTTPException(403, { message: `The token lacks ${scope}` });
      }
      const orgId = c.req.param("orgId");
      if (orgId !== undefined) {
        if (bindingClaim in claims && claims[bindingClaim] !== orgId) {
          throw new HTTPException(403, { message: "The token is for another organization" });
        }
        if (!mayUse(claims, orgId)) throw new HTTPException(403, { message: "Not allowed here" });
        if (!organizations.has(orgId)) throw new HTTPException(404, { message: "Not found" });
      }
      await next();
    };

  app.get("/orgs", allow("org:read"), (c) => {
    const claims = c.get("jwtPayload");
    const ids = [...organizations.keys()].filter(
      (id) => mayUse(claims, id) && (!(bindingClaim in claims) || claims[bindingClaim] === id),
    );
    return c.json(ids.map((id) => organizations.get(id)));
  });
  app.get("/orgs/:orgId", allow("org:read"), (c) =>
    c.json({ organization: organizations.get(c.req.param("orgId")) }),
  );
  app.patch("/orgs/:orgId", allow("org:write"), async (c) => {
    const orgId = c.req.param("orgId");
    const patch = readPatch(await c.req.json());
    organizations.set(orgId, { ...organizations.get(orgId), ...patch });
    const feed = changes.get(orgId) ?? [];
    feed.push({ number: feed.length + 1, patch });
    return c.body(null, 204);
  });
  app.get("/orgs/:orgId/changes", allow("org.changes:read"), (c) =>
    c.json(changes.get(c.req.param("orgId"))),
  );
  app.post("/orgs/:orgId/changes", allow("org.changes:write"), async (c) => {
    const patch = readPatch(await c.req.json());
    const feed = changes.get(c.req.param("orgId")) ?? [];
    feed.push({ number: feed.length + 1, patch });
    c.header("Location", `${c.req.path}/${feed.length}`);
    return c.json({ accepted: true }, 202);
  });
  app.get("/orgs/:orgId/changes/:changeId", allow("org.changes:read"), (c) => {
    const feed = changes.get(c.req.param("orgId")) ?? [];
    const change = feed.find(({ number }) => String(number) === c.req.param("changeId"));
    if (!change) throw new HTTPException(404, { message: "Not found" });
    return c.json(change);
  });

  app.notFound(() => fail(404, "Not found"));
  app.onError((error) => {
    if (error instanceof HTTPException) return fail(error.status, "Refused", error.res?.headers);
    return error instanceof SyntaxError ? fail(400, "Not JSON") : fail(500, "Internal error");
  });

  return {
    baseUrl,
    profile: profileOf(baseUrl, options, {
      listOrganizations: {},
      viewOrganization: { organization: "/organization" },
      editOrganization: WRITE,
      submitChange: WRITE,
      readChangesFeed: {},
      readChange: { changeId: "1" },
    }),
    close: () => close(server),
  };
}

function mayUse(claims: Record<string, unknown>, id: string): boolean {
  return claims["sub"] === SUBJECT && id !== DENIED;
}

function fail(status: ContentfulStatusCode, message: string, headers?: Headers): Response {
  const challenge = headers?.get("www-authenticate");
  return Response.json(
    { status, message, errors: [] },
    { status, headers: challenge ? { "www-authenticate": challenge } : {} },
  );
}

/** A patch of the two fields there are, or a 400. */
function readPatch(body: unknown): Record<string, unknown> {
  const fields = Object.entries(body ?? {});
  if (typeof body !== "object" || Array.isArray(body) || fields.length === 0) {
    throw new HTTPException(400, { message: "The body must be an object" });
  }
  for (const [field, value] of fields) {
    if (!["name", "mission"].includes(field) || typeof value !== "string") {
      throw new HTTPException(400, { message: `${field} is not a text field` });
    }
  }
  return body as Record<string, unknown>;
}

/** Runs a hono app on node:http. */
export async function adapt<E extends Env>(
  app: Hono<E>,
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const { method = "GET", headers } = request;
  const init: RequestInit & { duplex: "half" } = { method, duplex: "half" };
  init.headers = Object.entries(headers).flatMap(([name, value]) =>
    [value ?? []].flat().map((one): [string, string] => [name, one]),
  );
  if (method !== "GET" && method !== "HEAD") {
    init.body = Readable.toWeb(request) as unknown as NonNullable<RequestInit["body"]>;
  }
  const url = `http://localhost${request.url ?? "/"}`;
  try {
    const answer = await app.fetch(new Request(url, init));
    response.writeHead(answer.status, Object.fromEntries(answer.headers));
    response.end(Buffer.from(await answer.arrayBuffer()));
  } catch {
    const body = JSON.stringify({ status: 400, message: "Not a request", errors: [] });
    response.writeHead(400, { "content-type": "application/json" }).end(body);
  }
}
