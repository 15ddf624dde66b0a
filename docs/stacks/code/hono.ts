import { type Handler, Hono, type MiddlewareHandler } from "hono";
import type { JWTPayload } from "jose";

import { authorize, errorBody, Refused, type Trust, verify } from "./verify.ts";

export interface Environment {
  Variables: { claims: JWTPayload };
}

/** The six routes; `serve` is yours, and finds the claims in `c.get("claims")`. */
export function createApp(trust: Trust, serve: Handler<Environment>): Hono<Environment> {
  const allow =
    (scope: string): MiddlewareHandler<Environment> =>
    async (c, next) => {
      const claims = await verify(c.req.header("authorization"), trust);
      authorize(claims, scope, c.req.param("orgId"));
      c.set("claims", claims);
      await next();
    };
  const app = new Hono<Environment>();
  app.get("/orgs", allow("org:read"), serve);
  app.get("/orgs/:orgId", allow("org:read"), serve);
  app.patch("/orgs/:orgId", allow("org:write"), serve);
  app.post("/orgs/:orgId/changes", allow("org.changes:write"), serve);
  app.get("/orgs/:orgId/changes", allow("org.changes:read"), serve);
  app.get("/orgs/:orgId/changes/:changeId", allow("org.changes:read"), serve);
  app.notFound((c) => c.json(errorBody(404, "There is no such route"), 404));
  app.onError((error) => {
    const status = statusOf(error);
    const message = error instanceof Refused ? error.message : "The request cannot be served";
    const headers = status === 401 ? { "www-authenticate": "Bearer" } : {};
    return Response.json(errorBody(status, message), { status, headers });
  });
  return app;
}

/** `c.req.json()` throws a SyntaxError for a body that is not JSON. */
function statusOf(error: Error): number {
  if (error instanceof Refused) return error.status;
  return error instanceof SyntaxError ? 400 : 500;
}
