import express, { type ErrorRequestHandler, type Express, type RequestHandler } from "express";

import { authorize, errorBody, Refused, type Trust, verify } from "./verify.ts";

/** The six routes; `serve` is yours, and finds the claims in `res.locals.claims`. */
export function createApp(trust: Trust, serve: RequestHandler): Express {
  const allow =
    (scope: string): RequestHandler<{ orgId?: string }> =>
    async (req, res, next) => {
      const claims = await verify(req.headers.authorization, trust);
      authorize(claims, scope, req.params.orgId);
      res.locals["claims"] = claims;
      next();
    };
  const body = express.json();
  const app = express();
  app.get("/orgs", allow("org:read"), serve);
  app.get("/orgs/:orgId", allow("org:read"), serve);
  app.patch("/orgs/:orgId", allow("org:write"), body, serve);
  app.post("/orgs/:orgId/changes", allow("org.changes:write"), body, serve);
  app.get("/orgs/:orgId/changes", allow("org.changes:read"), serve);
  app.get("/orgs/:orgId/changes/:changeId", allow("org.changes:read"), serve);
  app.use((_req, res) => void res.status(404).json(errorBody(404, "There is no such route")));
  app.use(onError);
  return app;
}

/** Every error, those of Express and its body parser too, becomes an Error body. */
const onError: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) => {
  const { status = 500 } = error;
  if (status === 401) res.set("WWW-Authenticate", "Bearer");
  const message = error instanceof Refused ? error.message : "The request cannot be served";
  res.status(status).json(errorBody(status, message));
};
