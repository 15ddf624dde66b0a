import { createPublicKey, type JsonWebKey } from "node:crypto";
import { createServer, type RequestListener, type ServerResponse } from "node:http";
import type { Readable } from "node:stream";
import { buffer } from "node:stream/consumers";

import fastifyJwt, { type FastifyJWTOptions } from "@fastify/jwt";
import express, { type ErrorRequestHandler, type RequestHandler } from "express";
import fastify, { type FastifyReply, type FastifyRequest } from "fastify";
import jwt from "jsonwebtoken";
import Koa from "koa";
import koaJwt from "koa-jwt";
import passport from "passport";
import { ExtractJwt, Strategy } from "passport-jwt";

import { close, listen } from "../support/listening.ts";
import {
  type ApiAnswer,
  type Care,
  type Claims,
  failed,
  plainApi,
  type Serve,
} from "./plain-api.ts";
import { type ReceiverOptions, type RunningReceiver, trusting } from "./world.ts";

/** Receivers that differ by the library that verifies tokens, each set up as its documentation says. */
export interface Stack {
  readonly name: string;
  readonly start: (options: ReceiverOptions, care: Care) => Promise<RunningReceiver>;
}

const ALGORITHMS = ["RS256", "ES256"] as const;

/** What a receiver needs to verify tokens. */
interface Trust {
  /** The key of a token, in PEM; undefined where the issuer has none of that name. */
  readonly keyOf: (kid: unknown) => string | undefined;
  /** What is verified besides the signature; nothing if the quick start does not mention it. */
  readonly expected: { algorithms: jwt.Algorithm[]; issuer?: string; audience?: string };
}

export const STACKS: readonly Stack[] = [
  stack("jsonwebtoken with express", (api, { keyOf, expected }, care) => {
    const authenticate: RequestHandler = (req, res, next) => {
      const token = /^Bearer (\S+)$/.exec(req.headers.authorization ?? "")?.[1] ?? "";
      jwt.verify(
        token,
        (header, done) => done(null, keyOf(header.kid)),
        expected,
        (error, claims) => {
          if (error || typeof claims !== "object") {
            if (care === "careful") answer(res, failed(401, "The token is not valid"));
            else res.status(401).json({ error: error?.message ?? "Unauthorized" });
            return;
          }
          if (care === "careful" && isOdd(token)) {
            answer(res, failed(401, "The token is not one of those that are understood here"));
            return;
          }
          res.locals["claims"] = claims;
          next();
        },
      );
    };
    return expressApp(authenticate, api);
  }),
  stack("passport-jwt with express", (api, { keyOf, expected }, care) => {
    const authenticator = new passport.Passport();
    authenticator.use(
      new Strategy(
        {
          ...expected,
          jwtFromRequest: ExtractJwt.fromAuthHeaderAsBearerToken(),
          secretOrKeyProvider: (_request, token: string, done) =>
            done(null, keyOf(headerOf(token)["kid"])),
        },
        (claims: Claims, done) => done(null, claims),
      ),
    );
    const authenticate: RequestHandler = (req, res, next) => {
      const decide = (error: unknown, claims: Claims | false): void => {
        const token = req.headers.authorization?.split(" ")[1] ?? "";
        if (error || !claims || isOdd(token)) {
          answer(res, failed(401, "The token is not valid"));
          return;
        }
        res.locals["claims"] = claims;
        next();
      };
      if (care === "careful") {
        authenticator.authenticate("jwt", { session: false }, decide)(req, res, next);
        return;
      }
      authenticator.authenticate("jwt", { session: false })(req, res, () => {
        res.locals["claims"] = req.user;
        next();
      });
    };
    return expressApp(authenticate, api);
  }),
  stack("koa-jwt", (api, { keyOf, expected }, care) => {
    const app = new Koa({ proxy: false });
    app.silent = true;
    if (care === "careful") {
      app.use(async (ctx, next) => {
        try {
          if (isOdd(ctx.headers.authorization?.split(" ")[1] ?? "")) ctx.throw(401);
          await next();
        } catch (error) {
          const { status = 500 } = error as { status?: number };
          ctx.status = status;
          ctx.body = failed(status, "The request was refused").body;
        }
      });
    }
    app.use(
      koaJwt({
        secret: (header: { kid?: string }) => Promise.resolve(keyOf(header.kid) ?? ""),
        ...expected,
      }),
    );
    app.use(async (ctx) => {
      const body = await bodyOf(ctx.req);
      const { status, body: sent } = api(ctx.method, ctx.url, body, ctx.state["user"] as Claims);
      ctx.status = status;
      ctx.body = sent;
    });
    const serve = app.callback();
    return (request, response) => void serve(request, response);
  }),
  stack("@fastify/jwt", (api, { keyOf, expected }, care) => {
    const app = fastify({
      // Fastify answers a path that it cannot decode before any handler of errors.
      ...(care === "careful" && {
        frameworkErrors: (_error: unknown, _request: unknown, reply: { raw: ServerResponse }) => {
          const { status, body } = failed(400, "The path cannot be read");
          reply.raw.writeHead(status, { "content-type": "application/json" });
          reply.raw.end(JSON.stringify(body));
        },
      }),
    });
    const { algorithms, issuer, audience } = expected;
    // As in the documentation; the types know only the functions of fast-jwt.
    const secret = (_request: unknown, token: { header: { kid?: string } }, done: Done): void =>
      done(null, keyOf(token.header.kid) ?? "");
    app.register(fastifyJwt, {
      decode: { complete: true },
      secret: secret as unknown as FastifyJWTOptions["secret"],
      verify: {
        algorithms,
        ...(issuer !== undefined && { allowedIss: issuer }),
        ...(audience !== undefined && { allowedAud: audience }),
        // fast-jwt checks these claims only if they are present.
        ...(care === "careful" && { requiredClaims: ["iss", "aud", "exp"] }),
      },
    });
    if (care === "careful") {
      app.setErrorHandler((error: { statusCode?: number }, _request, reply) => {
        const { status, body } = failed(error.statusCode ?? 500, "The request was refused");
        return reply.status(status).send(body);
      });
    }
    app.addHook("onRequest", async (request) => {
      await request.jwtVerify();
      const token = request.headers.authorization?.split(" ")[1] ?? "";
      if (care === "careful" && isOdd(token)) {
        throw Object.assign(new Error("not understood"), { statusCode: 401 });
      }
    });
    const serve = async (request: FastifyRequest, reply: FastifyReply): Promise<unknown> => {
      const { method, url, body, user } = request;
      const { status, body: sent } = api(method, url, body, user as Claims);
      return reply.status(status).send(sent);
    };
    app.all("/*", serve);
    const ready = app.ready();
    return (request, response) => void ready.then(() => app.routing(request, response));
  }),
];

type Done = (error: Error | null, secret: string) => void;

function stack(
  name: string,
  build: (api: Serve, trust: Trust, care: Care) => RequestListener,
): Stack {
  return {
    name,
    async start(options, care) {
      const server = createServer();
      const baseUrl = await listen(server);
      const own = trusting(options, ALGORITHMS);
      const { serve, profile } = plainApi(own, care);
      server.on("request", build(serve, trustOf(own, baseUrl, care), care));
      return {
        baseUrl,
        profile: profile(baseUrl),
        close: () => close(server),
      };
    },
  };
}

function trustOf({ jwks, issuer }: ReceiverOptions, audience: string, care: Care): Trust {
  const keys = new Map(
    jwks.keys.map((key) => [
      key.kid,
      createPublicKey({ key: key as JsonWebKey, format: "jwk" })
        .export({ type: "spki", format: "pem" })
        .toString(),
    ]),
  );
  return {
    keyOf: (kid) => keys.get(String(kid)),
    expected: {
      algorithms: [...ALGORITHMS],
      ...(care === "careful" && { issuer, audience }),
    },
  };
}

const onError: ErrorRequestHandler = (error: { status?: number }, _req, res, _next) =>
  answer(res, failed(error.status ?? 500, "The request cannot be served"));

function expressApp(authenticate: RequestHandler, api: Serve): RequestListener {
  const app = express();
  app.use(authenticate);
  app.use(express.json());
  app.use((req, res) =>
    answer(res, api(req.method, req.url, req.body, res.locals["claims"] as Claims)),
  );
  app.use(onError);
  return app;
}

function answer(res: express.Response, { status, body }: ApiAnswer): void {
  res.status(status).json(body);
}

function headerOf(token: string): Record<string, unknown> {
  const decoded = jwt.decode(token, { complete: true });
  return { ...decoded?.header };
}

/** What jsonwebtoken accepts and a careful user rejects: `crit`, and a payload that is a string with the claims. */
function isOdd(token: string): boolean {
  const payload = Buffer.from(token.split(".")[1] ?? "", "base64url").toString();
  return headerOf(token)["crit"] !== undefined || !payload.startsWith("{");
}

async function bodyOf(request: Readable): Promise<unknown> {
  try {
    return JSON.parse(String(await buffer(request)));
  } catch {
    return undefined;
  }
}
