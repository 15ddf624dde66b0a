// oxlint-disable-next-line import/no-unassigned-import -- Nest wants it, and it extends Reflect
import "reflect-metadata";
import { createServer, type RequestListener } from "node:http";

import { Controller, Get, Module, Patch, Post, Req, Res } from "@nestjs/common";
import { NestFactory } from "@nestjs/core";
import type { Response } from "express";
import { createLocalJWKSet, type JWTPayload } from "jose";

import { createApp as createExpress } from "../../docs/stacks/code/express.ts";
import { claimsOf, createApp as createFastify } from "../../docs/stacks/code/fastify.ts";
import { createApp as createHono } from "../../docs/stacks/code/hono.ts";
import {
  type AuthorizedRequest,
  ErrorBodies,
  RequiredScope,
  TokenGuard,
} from "../../docs/stacks/code/nestjs.ts";
import { CLAIMS_NAMESPACE, type Trust } from "../../docs/stacks/code/verify.ts";
import { close, listen } from "../support/listening.ts";
import { adapt } from "./hono.ts";
import { plainApi, type Serve } from "./plain-api.ts";
import { type ReceiverOptions, type RunningReceiver, trusting } from "./world.ts";

/** A receiver with the code that a page in `docs/stacks` shows. */
export interface Example {
  readonly name: string;
  readonly listener: (trust: Trust, api: Serve) => RequestListener | Promise<RequestListener>;
}

export const EXAMPLES: readonly Example[] = [
  {
    name: "express",
    listener: (trust, api) =>
      createExpress(trust, (req, res) => {
        const claims = res.locals["claims"] as JWTPayload;
        const { status, body } = api(req.method, req.url, req.body, claims);
        res.status(status).json(body);
      }),
  },
  {
    name: "fastify",
    async listener(trust, api) {
      const app = createFastify(trust, async (request, reply) => {
        const { method, url, body } = request;
        const { status, body: sent } = api(method, url, body, claimsOf.get(request) ?? {});
        return reply.status(status).send(sent);
      });
      await app.ready();
      return (request, response) => app.routing(request, response);
    },
  },
  {
    name: "hono",
    listener(trust, api) {
      const app = createHono(trust, async (c) => {
        const body: unknown = c.req.method === "GET" ? undefined : await c.req.json();
        const answer = api(c.req.method, c.req.url, body, c.get("claims"));
        return Response.json(answer.body, { status: answer.status });
      });
      return (request, response) => void adapt(app, request, response);
    },
  },
  { name: "nestjs", listener: nestListener },
];

/** Decorators are functions: this is the module that a Nest application has, without their syntax. */
async function nestListener(trust: Trust, api: Serve): Promise<RequestListener> {
  // oxlint-disable-next-line typescript/no-extraneous-class -- its handlers are added below
  class Organizations {}
  const routes = [
    ["list", Get("orgs"), "org:read"],
    ["view", Get("orgs/:orgId"), "org:read"],
    ["edit", Patch("orgs/:orgId"), "org:write"],
    ["submit", Post("orgs/:orgId/changes"), "org.changes:write"],
    ["feed", Get("orgs/:orgId/changes"), "org.changes:read"],
    ["change", Get("orgs/:orgId/changes/:changeId"), "org.changes:read"],
  ] as const;
  for (const [name, route, scope] of routes) {
    const value = (req: AuthorizedRequest, res: Response): void => {
      const { status, body } = api(req.method, req.url, req.body, req.claims ?? {});
      res.status(status).json(body);
    };
    const descriptor = { value, configurable: true, writable: true };
    Object.defineProperty(Organizations.prototype, name, descriptor);
    route(Organizations.prototype, name, descriptor);
    RequiredScope(scope)(Organizations.prototype, name, descriptor);
    Req()(Organizations.prototype, name, 0);
    Res()(Organizations.prototype, name, 1);
  }
  Controller()(Organizations);
  // oxlint-disable-next-line typescript/no-extraneous-class -- the decorator says what it is
  class App {}
  Module({ controllers: [Organizations] })(App);
  const app = await NestFactory.create(App, { logger: false });
  app.useGlobalGuards(new TokenGuard(trust));
  app.useGlobalFilters(new ErrorBodies());
  await app.init();
  return app.getHttpAdapter().getInstance() as RequestListener;
}

/** Starts an example that trusts one issuer, the suite's. */
export async function startExample(
  { listener }: Example,
  options: ReceiverOptions,
): Promise<RunningReceiver> {
  const server = createServer();
  const baseUrl = await listen(server);
  const own = trusting({ ...options, claimsNamespace: CLAIMS_NAMESPACE });
  const { serve, profile } = plainApi(own, "careful");
  const issuers = new Map([[own.issuer, createLocalJWKSet(own.jwks)]]);
  server.on("request", await listener({ audience: baseUrl, issuers }, serve));
  return {
    baseUrl,
    profile: profile(baseUrl),
    close: () => close(server),
  };
}
