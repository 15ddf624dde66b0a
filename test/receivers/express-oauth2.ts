import { randomUUID } from "node:crypto";
import { createServer } from "node:http";

import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import { auth, requiredScopes } from "express-oauth2-jwt-bearer";

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

type Parameters = { orgId: string; changeId: string };

interface Mutation {
  id: string;
  kind: "patch" | "snapshot";
  state: "applied" | "in review";
  content: object;
}

/**
 * A receiver on express with express-oauth2-jwt-bearer, set up as its README says. It has nothing
 * from the reference receiver: other response shapes, other statuses, another path.
 */
export async function startExpressReceiver(options: ReceiverOptions): Promise<RunningReceiver> {
  const app = express();
  const server = createServer(app);
  const origin = await listen(server);
  const baseUrl = `${origin}/sync/v1`;

  const organizations = new Map<string, { id: string; name: string; mission?: string }>();
  const changes = new Map<string, Mutation[]>();
  for (const [index, id] of [PRIMARY, OTHER, DENIED].entries()) {
    const content = { id, name: `Charity ${index}` };
    organizations.set(id, content);
    changes.set(id, [{ id: randomUUID(), kind: "snapshot", state: "applied", content }]);
  }

  // The middleware fetches keys from a URL, so that this server publishes them too.
  app.get("/.well-known/jwks.json", (_req, res) => void res.json(options.jwks));
  app.use(
    auth({
      issuer: options.issuer,
      audience: baseUrl,
      jwksUri: `${origin}/.well-known/jwks.json`,
    }),
  );
  app.use(express.json({ type: ["application/json", "application/merge-patch+json"] }));

  const bindingClaim = `${options.claimsNamespace}/org_id`;

  const organizationAccess: RequestHandler<Parameters> = (req, _res, next) => {
    const payload = req.auth?.payload ?? {};
    const { orgId } = req.params;
    const bound = payload[bindingClaim];
    if (bound !== undefined && bound !== orgId) {
      throw new HttpError(403, "The token is for another organization");
    }
    if (!mayUse(payload.sub, orgId)) {
      throw new HttpError(403, "You may not act on this organization");
    }
    if (!organizations.has(orgId)) throw new HttpError(404, "No such organization");
    next();
  };

  const api = express.Router();
  api.get("/orgs", requiredScopes("org:read"), (req, res) => {
    const { [bindingClaim]: bound, sub } = req.auth?.payload ?? {};
    const visible = [...organizations.values()].filter(
      ({ id }) => mayUse(sub, id) && (bound === undefined || bound === id),
    );
    res.json(paginate(visible, req.query));
  });
  api.get("/orgs/:orgId", requiredScopes("org:read"), organizationAccess, (req, res) => {
    res.json(organizations.get(req.params.orgId));
  });
  api.patch("/orgs/:orgId", requiredScopes("org:write"), organizationAccess, (req, res) => {
    const organization = organizations.get(req.params.orgId);
    const edited = { ...organization, ...validated(req.body) };
    organizations.set(req.params.orgId, edited as { id: string; name: string });
    const content = req.body as object;
    changes
      .get(req.params.orgId)
      ?.push({ id: randomUUID(), kind: "patch", state: "applied", content });
    res.json(edited);
  });
  api.get(
    "/orgs/:orgId/changes",
    requiredScopes("org.changes:read"),
    organizationAccess,
    (req, res) => void res.json(paginate(changes.get(req.params.orgId) ?? [], req.query)),
  );
  api.post(
    "/orgs/:orgId/changes",
    requiredScopes("org.changes:write"),
    organizationAccess,
    (req, res) => {
      const content = validated(req.body);
      const change = { id: randomUUID(), kind: "patch", state: "in review", content } as const;
      changes.get(req.params.orgId)?.push(change);
      res.status(201).location(`${req.originalUrl}/${change.id}`).json(change);
    },
  );
  api.get(
    "/orgs/:orgId/changes/:changeId",
    requiredScopes("org.changes:read"),
    organizationAccess,
    (req, res) => {
      const feed = changes.get(req.params.orgId) ?? [];
      const change = feed.find(({ id }) => id === req.params.changeId);
      if (!change) throw new HttpError(404, "No such change");
      res.json(change);
    },
  );
  app.use("/sync/v1", api);

  app.use(() => {
    throw new HttpError(404, "No such route");
  });
  app.use(onError);

  const page = { paginated: true, items: "/results", pagination: "/meta" };
  const write = { ...WRITE, contentType: "application/merge-patch+json" };
  return {
    baseUrl,
    profile: profileOf(baseUrl, options, {
      listOrganizations: page,
      viewOrganization: { organization: "" },
      editOrganization: write,
      submitChange: { ...write, id: "/id" },
      readChangesFeed: page,
      readChange: { changeId: changes.get(PRIMARY)?.[0]?.id },
    }),
    close: () => close(server),
  };
}

class HttpError extends Error {
  readonly status: number;
  readonly errors: readonly object[];
  readonly headers: Record<string, string> = {};

  constructor(status: number, message: string, errors: readonly object[] = []) {
    super(message);
    this.status = status;
    this.errors = errors;
  }
}

const mayUse = (subject: unknown, id: string): boolean => subject === SUBJECT && id !== DENIED;

const onError: ErrorRequestHandler = (error: Partial<HttpError>, _req, res, _next) => {
  const status = error.status ?? 500;
  const message = status < 500 ? error.message : "Internal error";
  const body = { status, message, errors: error.errors ?? [] };
  res.status(status).set(error.headers).json(body);
};

/** The body of an edit or a submission, or a 400 that names what is wrong. */
function validated(body: unknown): { name?: string; mission?: string } {
  if (typeof body !== "object" || body === null || Array.isArray(body)) {
    throw new HttpError(400, "The body must be an object");
  }
  const errors = Object.entries(body)
    .filter(([field, value]) => !["name", "mission"].includes(field) || typeof value !== "string")
    .map(([field]) => ({ field, message: "is not a text field of an organization" }));
  if (errors.length > 0) throw new HttpError(400, "The body is not valid", errors);
  return body;
}

function paginate(all: readonly object[], query: Record<string, unknown>): object {
  const [page, pageSize] = [query["page"] ?? "1", query["pageSize"] ?? "100"].map((text) => {
    const value = typeof text === "string" && /^\d+$/.test(text) ? Number(text) : 0;
    if (value < 1 || value > 2_147_483_647)
      throw new HttpError(400, "page and pageSize are integers");
    return value;
  }) as [number, number];
  const results = all.slice((page - 1) * pageSize, page * pageSize);
  const totalPages = Math.ceil(all.length / pageSize);
  return { results, meta: { page, pageSize, totalItems: all.length, totalPages } };
}
