import { randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

import NodeOAuth from "@node-oauth/oauth2-server";
import { issuer as openAuth } from "@openauthjs/openauth";
import { MemoryStorage } from "@openauthjs/openauth/storage/memory";
import {
  exportJWK,
  generateKeyPair,
  type JSONWebKeySet,
  type JWK,
  type JWTPayload,
  SignJWT,
} from "jose";
import { OAuth2Server as MockServer } from "oauth2-mock-server";
import { onTestFinished, vi } from "vitest";

import { SCOPES } from "../../src/contract/operations.ts";
import {
  interact,
  INTERACTION_PATH,
} from "../../src/reference/authorization-server/interaction.ts";
import { SERVER_STEPS } from "../../src/reference/authorization-server/steps.ts";
import { listening } from "../support/listening.ts";

/** An authorization server of a library, with the clients `service` and `web`. */
export interface Product {
  readonly issuer: string;
  readonly jwks: JSONWebKeySet;
  /** What the profile says about the clients beyond id, scopes, secret and consent. */
  readonly clients?: () => { readonly service?: object; readonly web?: object };
}

/** What a server is started with. */
export interface Registered {
  readonly secret: string;
  /** The base URL of the receiver; it is known when the first token is asked for. */
  readonly audience: () => string;
}

const LIFETIME_SECONDS = 300;
const SUBJECT = "svc-conformance";
/** The suite listens on a free port of this host. */
const CALLBACK = /^http:\/\/127\.0\.0\.1:\d+\/callback$/;
const WEB_SCOPES: readonly string[] = ["org:read", "org.changes:read"];

function scopesOf(client: unknown): readonly string[] {
  return client === "service" ? SCOPES : WEB_SCOPES;
}

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/** Listens at once, because an issuer is named after its port. */
async function listen(): Promise<{ origin: string; serve: (handler: Handler) => void }> {
  const server = createServer();
  return {
    origin: await listening(server),
    serve: (handler) => void server.on("request", handler),
  };
}

async function keyPair(): Promise<{
  jwk: JWK;
  jwks: JSONWebKeySet;
  sign: (claims: JWTPayload) => Promise<string>;
}> {
  const { privateKey, publicKey } = await generateKeyPair("ES256", { extractable: true });
  const use = { kid: "product", use: "sig", alg: "ES256" };
  return {
    jwk: { ...(await exportJWK(privateKey)), ...use },
    jwks: { keys: [{ ...(await exportJWK(publicKey)), ...use }] },
    sign: (claims) =>
      new SignJWT(claims)
        .setProtectedHeader({ alg: "ES256", kid: use.kid })
        .setIssuedAt()
        .setExpirationTime(`${LIFETIME_SECONDS} s`)
        .sign(privateKey),
  };
}

/** oidc-provider as its documentation configures it: a public client, refresh tokens, `resource` in each request. */
async function oidcProvider({ secret, audience }: Registered): Promise<Product> {
  const { origin, serve } = await listen();
  const { jwk, jwks } = await keyPair();
  vi.spyOn(console, "warn").mockReturnValue();
  vi.spyOn(console, "info").mockReturnValue();
  const { default: Provider } = await import("oidc-provider");
  const provider = new Provider(origin, {
    clients: [
      {
        client_id: "service",
        client_secret: secret,
        grant_types: ["client_credentials"],
        response_types: [],
        redirect_uris: [],
        scope: SCOPES.join(" "),
      },
      {
        client_id: "web",
        application_type: "native",
        token_endpoint_auth_method: "none",
        grant_types: ["authorization_code", "refresh_token"],
        redirect_uris: ["http://127.0.0.1/callback"],
        scope: WEB_SCOPES.join(" "),
      },
    ],
    jwks: { keys: [jwk] },
    clientDefaults: { id_token_signed_response_alg: "ES256" },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: [...SCOPES],
    issueRefreshToken: () => true,
    interactions: { url: (_ctx, { uid }) => INTERACTION_PATH + uid },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        getResourceServerInfo: () => ({ scope: SCOPES.join(" "), accessTokenFormat: "jwt" }),
      },
    },
    formats: {
      customizers: {
        jwt(_ctx, { kind }, { payload }) {
          payload.sub = SUBJECT;
          payload["grant_type"] =
            kind === "ClientCredentials" ? "client_credentials" : "authorization_code";
        },
      },
    },
  });
  const handle = provider.callback();
  serve((request, response) =>
    request.url?.startsWith(INTERACTION_PATH)
      ? interact(provider, request, response, SERVER_STEPS)
      : handle(request, response),
  );
  return {
    issuer: origin,
    jwks,
    clients() {
      const parameters = { resource: audience() };
      return { service: { parameters }, web: { parameters, authentication: "none" } };
    },
  };
}

interface Saved extends NodeOAuth.AuthorizationCode {
  readonly user: { readonly flow: string };
}

/** @node-oauth/oauth2-server with a model in memory; what it leaves to the model is done as the contract asks. */
async function nodeOAuth({ secret, audience }: Registered): Promise<Product> {
  const { origin, serve } = await listen();
  const { jwks, sign } = await keyPair();
  const codes = new Map<string, Saved>();
  const refreshable = new Map<string, object>();
  const server = new NodeOAuth({
    accessTokenLifetime: LIFETIME_SECONDS,
    model: {
      getClient: async (id: string, given: string | null) =>
        ["service", "web"].includes(id) && (given === null || given === secret)
          ? {
              id,
              grants:
                id === "service" ? ["client_credentials"] : ["authorization_code", "refresh_token"],
              redirectUris: [""],
            }
          : false,
      getUserFromClient: async () => ({ flow: "client_credentials" }),
      validateScope: async (_user, { id }, scope = []) =>
        scope.filter((one) => scopesOf(id).includes(one)),
      validateRedirectUri: async (uri) => CALLBACK.test(uri),
      generateAccessToken: ({ id: client_id }, { flow: grant_type }, scope) =>
        sign({
          iss: origin,
          sub: SUBJECT,
          aud: audience(),
          client_id,
          grant_type,
          scope: scope.join(" "),
        }),
      saveToken: async (token, client, user) => {
        const saved = { ...token, client, user };
        if (token.refreshToken) refreshable.set(token.refreshToken, saved);
        return saved;
      },
      getRefreshToken: async (token) => refreshable.get(token) ?? false,
      revokeToken: async ({ refreshToken }) => refreshable.delete(refreshToken),
      saveAuthorizationCode: async (code, client, user) => {
        const saved = { ...code, client, user } as Saved;
        codes.set(code.authorizationCode, saved);
        return saved;
      },
      getAuthorizationCode: async (code) => codes.get(code) ?? false,
      revokeAuthorizationCode: async ({ authorizationCode }) => codes.delete(authorizationCode),
      getAccessToken: async () => false,
    } as NodeOAuth.AuthorizationCodeModel &
      NodeOAuth.ClientCredentialsModel &
      NodeOAuth.RefreshTokenModel,
  });
  serve(async (request, answer) => {
    const url = new URL(request.url ?? "", origin);
    const json = (status: number, body: unknown, headers = {}): void =>
      void answer
        .writeHead(status, { "content-type": "application/json", ...headers })
        .end(JSON.stringify(body));
    if (url.pathname === "/jwks") return json(200, jwks);
    if (url.pathname.startsWith("/.well-known/")) {
      return json(200, {
        issuer: origin,
        authorization_endpoint: `${origin}/authorize`,
        token_endpoint: `${origin}/token`,
        jwks_uri: `${origin}/jwks`,
        response_types_supported: ["code"],
        grant_types_supported: ["authorization_code", "client_credentials"],
        code_challenge_methods_supported: ["S256"],
        token_endpoint_auth_methods_supported: ["client_secret_post"],
      });
    }
    const asked = new NodeOAuth.Request({
      method: request.method ?? "",
      headers: request.headers as Record<string, string>,
      query: Object.fromEntries(url.searchParams),
      body: Object.fromEntries(new URLSearchParams((await buffer(request)).toString())),
    });
    const response = new NodeOAuth.Response();
    try {
      if (url.pathname === "/authorize") {
        const authenticateHandler = { handle: () => ({ flow: "authorization_code" }) };
        await server.authorize(asked, response, { authenticateHandler });
      } else await server.token(asked, response);
    } catch (error) {
      const { code = 500, name = "server_error" } = error as { code?: number; name?: string };
      response.status ??= code;
      response.body = Object.keys(response.body ?? {}).length > 0 ? response.body : { error: name };
    }
    return json(response.status ?? 200, response.body, response.headers);
  });
  return { issuer: origin, jwks };
}

/** OpenAuth with a provider that signs everybody in. */
async function openAuthServer({ secret }: Registered): Promise<Product> {
  const { origin, serve } = await listen();
  for (const level of ["log", "error"] as const) vi.spyOn(console, level).mockReturnValue();
  const app = openAuth({
    storage: MemoryStorage(),
    subjects: {},
    allow: async ({ clientID, redirectURI }) => clientID === "web" && CALLBACK.test(redirectURI),
    providers: {
      everybody: {
        type: "everybody",
        init: (routes, { success }) => void routes.get("/authorize", (ctx) => success(ctx, {})),
        client: async ({ clientID, clientSecret }) => {
          if (clientID !== "service" || clientSecret !== secret) throw new Error("wrong secret");
          return {};
        },
      },
    },
    success: async (ctx) => ctx.subject("service" as never, {} as never, { subject: SUBJECT }),
  } as Parameters<typeof openAuth>[0]);
  serve(async (request, response) => {
    const body = await buffer(request);
    const reply = await app.fetch(
      new Request(origin + request.url, {
        method: request.method ?? "GET",
        headers: Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
        ...(body.length > 0 && { body: new Uint8Array(body) }),
      }),
    );
    const cookies = reply.headers.getSetCookie();
    response.writeHead(reply.status, {
      ...Object.fromEntries(reply.headers),
      "set-cookie": cookies,
    });
    response.end(Buffer.from(await reply.arrayBuffer()));
  });
  const keys = await app.request(`${origin}/.well-known/jwks.json`);
  return {
    issuer: origin,
    jwks: (await keys.json()) as JSONWebKeySet,
    clients: () => ({
      service: { tokenParameters: { provider: "everybody" } },
      web: { authentication: "none" },
    }),
  };
}

/** oauth2-mock-server with a hook that completes the claims. */
async function mockServer({ audience }: Registered): Promise<Product> {
  const server = new MockServer();
  const key = await server.issuer.keys.generate("RS256");
  await server.start(0, "127.0.0.1");
  onTestFinished(() => server.stop());
  server.service.on("beforeTokenSigning", ({ payload }, { body }) => {
    const { grant_type } = body as { grant_type: string };
    Object.assign(payload, { sub: SUBJECT, aud: audience(), grant_type });
  });
  const { kty, n, e, kid, alg } = key;
  return {
    issuer: server.issuer.url ?? "",
    jwks: { keys: [{ kty, n, e, kid, alg } as JWK] },
  };
}

export const PRODUCTS: Readonly<Record<string, (registered: Registered) => Promise<Product>>> = {
  "oidc-provider": oidcProvider,
  "@node-oauth/oauth2-server": nodeOAuth,
  OpenAuth: openAuthServer,
  "oauth2-mock-server": mockServer,
};
