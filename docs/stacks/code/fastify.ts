import fastify, {
  type FastifyInstance,
  type FastifyReply,
  type FastifyRequest,
  type onRequestAsyncHookHandler,
} from "fastify";
import type { JWTPayload } from "jose";

import { authorize, errorBody, Refused, type Trust, verify } from "./verify.ts";

/** What a request was allowed by. */
export const claimsOf: WeakMap<FastifyRequest, JWTPayload> = new WeakMap();

/** The six routes; `serve` is yours, and finds the claims in `claimsOf`. */
export function createApp(
  trust: Trust,
  serve: (request: FastifyRequest, reply: FastifyReply) => Promise<unknown>,
): FastifyInstance {
  const allow =
    (scope: string): onRequestAsyncHookHandler =>
    async (request) => {
      const claims = await verify(request.headers.authorization, trust);
      authorize(claims, scope, (request.params as { orgId?: string }).orgId);
      claimsOf.set(request, claims);
    };
  const app = fastify({
    // A path that is not UTF-8 fails before there is a route: the error handler below is not asked.
    frameworkErrors: (_error, _request, reply: FastifyReply) =>
      void reply.status(400).send(errorBody(400, "The path cannot be read")),
  });
  app.get("/orgs", { onRequest: allow("org:read") }, serve);
  app.get("/orgs/:orgId", { onRequest: allow("org:read") }, serve);
  app.patch("/orgs/:orgId", { onRequest: allow("org:write") }, serve);
  app.post("/orgs/:orgId/changes", { onRequest: allow("org.changes:write") }, serve);
  app.get("/orgs/:orgId/changes", { onRequest: allow("org.changes:read") }, serve);
  app.get("/orgs/:orgId/changes/:changeId", { onRequest: allow("org.changes:read") }, serve);
  app.setNotFoundHandler((_request, reply) => {
    void reply.status(404).send(errorBody(404, "There is no such route"));
  });
  // Every error, those of Fastify and its body parser too, becomes an Error body.
  app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
    const refused = error instanceof Refused;
    const status = refused ? error.status : (error.statusCode ?? 500);
    if (status === 401) void reply.header("WWW-Authenticate", "Bearer");
    const message = refused ? error.message : "The request cannot be served";
    void reply.status(status).send(errorBody(status, message));
  });
  return app;
}
