import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { createServer, IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK } from "jose";
import type { Configuration, KoaContextWithOIDC } from "oidc-provider";

import { SCOPES } from "../../contract/operations.ts";
import { packageRoot } from "../../lib/package-root.ts";
import { SUBJECT } from "../store.ts";
import {
  CLIENTS,
  describeClients,
  FURTHER_CLIENTS,
  type ReferenceClient,
  registration,
} from "./clients.ts";
import { interact, INTERACTION_PATH } from "./interaction.ts";
import type { Grant, Memory, ServerSteps } from "./steps.ts";

/** The data that the server needs about the receiver. */
export interface ServerOptions {
  readonly steps: ServerSteps;
  /** Returns the base URL of the receiver; call it only once the receiver listens. */
  readonly audience: () => string;
  readonly bindingClaim: string;
  /**
   * The receiver trusts no other issuer, so the server has a client for each kind of token. Default: false.
   */
  readonly alone?: boolean;
}

export interface RunningServer {
  readonly issuer: string;
  readonly jwks: JSONWebKeySet;
  /** The `authorizationServer` of a profile. */
  readonly profile: Readonly<Record<string, unknown>>;
  close(): Promise<void>;
}

const LIFETIME_SECONDS = 600;
const CODE_SECONDS = 60;

/**
 * Starts the reference authorization server on a free port of loopback: client credentials, and the
 * authorization code flow with PKCE.
 */
export async function startAuthorizationServer(options: ServerOptions): Promise<RunningServer> {
  const { steps, alone } = options;
  const clients = alone ? [...CLIENTS, ...FURTHER_CLIENTS] : CLIENTS;
  const { privateKey } = await generateKeyPair("RS256", { extractable: true });
  const key: JWK = { ...(await exportJWK(privateKey)), kid: "reference", use: "sig", alg: "RS256" };
  const { kty, n, e, kid, use, alg } = key as JWK & { n: string; e: string };
  const jwks: JSONWebKeySet = { keys: [{ kty, n, e, kid, use, alg } as JWK] };

  const server = createServer();
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;

  const memory: Memory = {
    clients: clients.map(registration),
    requests: new Map(),
    codes: new Map(),
    burnt: new Set(),
    redeemed: new Map(),
  };
  const provider = await quietly(async () => {
    const { default: Provider } = await import("oidc-provider");
    return new Provider(issuer, configuration(options, clients, key, memory));
  });
  provider.use((ctx, next) => around(ctx as unknown as KoaContextWithOIDC, next, steps, memory));
  const handle = provider.callback();
  server.on("request", (request, response) => {
    if (request.url?.startsWith(INTERACTION_PATH))
      void interact(provider, request, response, steps);
    else void passOn(request, response, steps, memory, handle);
  });
  return {
    issuer,
    jwks,
    profile: {
      issuer,
      probes: true,
      clients: describeClients(clients, [
        process.execPath,
        join(packageRoot, "fixtures", "consent.mjs"),
      ]),
    },
    async close() {
      const closed = once(server, "close");
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

/**
 * Suppresses the library's warnings to operators: that its store is in memory, and that Node 20, on which
 * it works, is not supported.
 */
async function quietly<T>(work: () => Promise<T>): Promise<T> {
  const { info, warn } = console;
  Object.assign(console, { info: () => {}, warn: () => {} });
  try {
    return await work();
  } finally {
    Object.assign(console, { info, warn });
  }
}

function configuration(
  { steps, audience, bindingClaim }: ServerOptions,
  known: readonly ReferenceClient[],
  key: JWK,
  memory: Memory,
): Configuration {
  return {
    clients: [...steps.registered(memory.clients)],
    jwks: { keys: [key] },
    cookies: { keys: [randomBytes(16).toString("hex")] },
    scopes: [...SCOPES],
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed("refresh_token"),
    routes: { token: "/token", authorization: "/auth", jwks: "/jwks" },
    interactions: { url: (_ctx, { uid }) => INTERACTION_PATH + uid },
    findAccount: (_ctx, sub) => ({ accountId: sub, claims: () => ({ sub }) }),
    ttl: {
      AccessToken: LIFETIME_SECONDS,
      AuthorizationCode: CODE_SECONDS,
      ClientCredentials: LIFETIME_SECONDS,
      Grant: LIFETIME_SECONDS,
      IdToken: LIFETIME_SECONDS,
      Interaction: LIFETIME_SECONDS,
      RefreshToken: LIFETIME_SECONDS,
      Session: LIFETIME_SECONDS,
    },
    renderError(ctx, { error, error_description }) {
      ctx.type = "text/plain";
      ctx.body = `${error}: ${error_description ?? ""}\n`;
    },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      userinfo: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => audience(),
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: SCOPES.join(" "),
          audience: audience(),
          accessTokenFormat: "jwt",
          accessTokenTTL: LIFETIME_SECONDS,
        }),
      },
    },
    formats: {
      customizers: {
        jwt(_ctx, token, jwt) {
          const { clientId = "", kind } = token;
          const flow = kind === "ClientCredentials" ? "client_credentials" : "authorization_code";
          const client = known.find(({ name }) => name === clientId);
          const claims = {
            ...jwt.payload,
            sub: client?.subject ?? SUBJECT,
            grant_type: flow,
            ...(client?.organization && { [bindingClaim]: client.organization.id }),
          };
          const grant: Grant = { client: clientId, flow };
          jwt.payload = steps.tokenClaims(claims, grant);
          jwt.header = steps.tokenHeader({ ...jwt.header });
        },
      },
    },
  };
}

/** Passes a request to the library, with the query and the form that the steps return. */
async function passOn(
  request: IncomingMessage,
  response: ServerResponse,
  steps: ServerSteps,
  memory: Memory,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://server.invalid");
  if (url.pathname === "/auth") {
    memory.requests.set(url.searchParams.get("state") ?? "", new URLSearchParams(url.search));
    const elsewhere = steps.openRedirect(url.searchParams, memory);
    if (elsewhere !== undefined) {
      const to = new URL(elsewhere);
      to.searchParams.append("error", "invalid_request");
      response.writeHead(302, { location: to.href }).end();
      return;
    }
    steps.authorizationRequest(url.searchParams, memory);
    request.url = url.pathname + url.search;
  }
  // The library does not accept a form that a redirect has sent again.
  if (url.pathname.startsWith("/auth/")) request.method = "GET";
  if (url.pathname !== "/token" || request.method !== "POST") {
    handle(request, response);
    return;
  }
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const form = new URLSearchParams(Buffer.concat(chunks).toString());
  const changed = { form, authorization: request.headers.authorization, memory };
  steps.tokenRequest(changed);
  const body = Buffer.from(form.toString());
  const again = new IncomingMessage(request.socket);
  Object.assign(again, { method: request.method, url: request.url, httpVersion: "1.1" });
  again.headers = { ...request.headers, "content-length": String(body.length) };
  delete again.headers["transfer-encoding"];
  if (changed.authorization === undefined) delete again.headers.authorization;
  else again.headers.authorization = changed.authorization;
  again.push(body);
  again.push(null);
  again.complete = true;
  handle(again, response);
}

/** Passes the library's answers through the steps. */
async function around(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
  steps: ServerSteps,
  memory: Memory,
): Promise<void> {
  await next();
  const body = ctx.body as Record<string, unknown>;
  if (ctx.path === "/jwks") ctx.body = steps.publishedKeys(body as unknown as JSONWebKeySet);
  else if (ctx.path.includes("/.well-known/")) ctx.body = steps.publishedMetadata(body);
  else if (ctx.path !== "/token") redirectToClient(ctx, steps, memory);
  // The library does not answer requests other than POST here.
  else if (ctx.method === "POST") answerToken(ctx, body, steps, memory);
}

function answerToken(
  ctx: KoaContextWithOIDC,
  body: Record<string, unknown>,
  steps: ServerSteps,
  memory: Memory,
): void {
  const form = new URLSearchParams(
    Object.entries(ctx.oidc?.body ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  );
  const answer = { form, status: ctx.status, body, headers: {} as Record<string, string>, memory };
  steps.tokenAnswer(answer);
  ctx.status = answer.status;
  ctx.body = answer.body;
  for (const [name, value] of Object.entries(answer.headers)) {
    if (value === "") ctx.remove(name);
    else ctx.set(name, value);
  }
  const code = form.get("code");
  if (code !== null && answer.status === 200) memory.redeemed.set(code, answer.body);
}

/** Records which request a code belongs to, and passes the redirect through the steps. */
function redirectToClient(ctx: KoaContextWithOIDC, steps: ServerSteps, memory: Memory): void {
  const location = ctx.response.get("location");
  if (!URL.canParse(location)) return;
  const url = new URL(location);
  if (url.origin === ctx.origin) return;
  noteCode(url, memory);
  ctx.status = steps.redirectStatus();
  steps.clientRedirect(url, memory);
  if (url.href !== new URL(location).href) ctx.set("location", url.href);
}

function noteCode(url: URL, memory: Memory): void {
  const state = url.searchParams.get("state");
  const request = state === null ? undefined : memory.requests.get(state);
  if (!request) return;
  const code = url.searchParams.get("code");
  if (code !== null) memory.codes.set(code, request);
}
