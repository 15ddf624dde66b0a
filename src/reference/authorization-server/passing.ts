import { IncomingMessage, type ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

import type { JSONWebKeySet } from "jose";
import type { KoaContextWithOIDC } from "oidc-provider";

import type { Memory, ServerSteps } from "./steps.ts";

/** Where clients push their authorization requests. */
export const PUSHED_PATH = "/request";

/** Passes a request to the library, with the query and the form that the steps return. */
export async function passRequest(
  request: IncomingMessage,
  response: ServerResponse,
  steps: ServerSteps,
  memory: Memory,
  handle: (request: IncomingMessage, response: ServerResponse) => unknown,
): Promise<void> {
  const url = new URL(request.url ?? "/", "http://server.invalid");
  if (url.pathname === "/auth") {
    // The parameters of a pushed request were recorded when it was pushed.
    if (!url.searchParams.has("request_uri")) record(url.searchParams, memory);
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
  const isPushed = url.pathname === PUSHED_PATH;
  if ((url.pathname !== "/token" && !isPushed) || request.method !== "POST") {
    handle(request, response);
    return;
  }
  const form = new URLSearchParams(String(await buffer(request)));
  const changed = { form, authorization: request.headers.authorization, memory };
  if (isPushed) {
    record(form, memory);
    steps.pushedRequest(changed);
  } else {
    steps.tokenRequest(changed);
  }
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

/** Records an authorization request as it was received. A step may change the parameters later. */
function record(parameters: URLSearchParams, { requests }: Memory): void {
  requests.set(parameters.get("state") ?? "", new URLSearchParams(parameters));
}

/** Passes an answer of the library through the steps. */
export async function passAnswer(
  ctx: KoaContextWithOIDC,
  next: () => Promise<void>,
  steps: ServerSteps,
  memory: Memory,
): Promise<void> {
  await next();
  const body = ctx.body as Record<string, unknown>;
  if (ctx.path === "/jwks") {
    ctx.body = steps.publishedKeys(body as unknown as JSONWebKeySet);
  } else if (ctx.path.includes("/.well-known/")) {
    ctx.body = steps.publishedMetadata(body);
    ctx.type = steps.metadataType();
  } else if (ctx.path !== "/token") redirectToClient(ctx, steps, memory);
  // The library does not answer requests other than POST here.
  else if (ctx.method === "POST") answerToken(ctx, body, steps, memory);
}

function answerToken(
  ctx: KoaContextWithOIDC,
  body: Record<string, unknown>,
  steps: ServerSteps,
  memory: Memory,
): void {
  const form = formOf(ctx);
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

/** The form of a request, as the library read it. */
export function formOf({ oidc }: KoaContextWithOIDC): URLSearchParams {
  return new URLSearchParams(
    Object.entries(oidc?.body ?? {}).map(([name, value]): [string, string] => [
      name,
      String(value),
    ]),
  );
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
