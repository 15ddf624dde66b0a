import { isObject } from "../../lib/json.ts";
import type { AuthorizationServer, Client } from "../../profile/authorization-server.ts";
import {
  type AuthorizationDraft,
  type AuthorizationRequest,
  urlWith,
} from "./authorization-request.ts";
import {
  type AuthenticationForm,
  type Credentials,
  credentialsOf,
  formsOf,
} from "./client-authentication.ts";
import type { Failed } from "./failed.ts";
import { followAuthorization, isErrorPage, isSamePlace } from "./front-channel.ts";
import { type Endpoints, whyUnknown } from "./metadata.ts";
import type { Origins, ServerAnswer } from "./origins.ts";
import type { TokenResponse } from "./token-request.ts";
import { explainError, explainResponse, isUnauthenticated, isUnclear } from "./token-response.ts";

// Authorization requests as a server wants them: in the URL, RFC 6749 section 4.1.1, or pushed, RFC 9126.

/** A request that was refused when it was pushed, before any browser saw it. */
export interface NotPushed extends Failed {
  readonly refusedBy: ServerAnswer;
}

/** What is needed to send a client's authorization requests. */
export interface RequestSender {
  readonly server: AuthorizationServer;
  readonly origins: Origins;
  /** The endpoints, from the profile or the metadata. They are requested once. */
  endpoints(): Promise<Endpoints>;
  /** The form in which each client authenticates, by name, as far as it is known. */
  readonly forms: Map<string, AuthenticationForm>;
}

/** The names of the requests that are sent here, in place of a case's id. */
const LOOK = "authorization-server/authorization-request";
const PUSH = "authorization-server/pushed-request";

/**
 * Turns a draft into the request that a browser makes. Pushes its parameters where the server wants that.
 * @param pushed whether it does
 * @throws Interrupted
 */
export async function composeRequest(
  sender: RequestSender,
  client: Client,
  { parameters, ...draft }: AuthorizationDraft,
  pushed: boolean,
): Promise<AuthorizationRequest | NotPushed | Failed> {
  const endpoints = await sender.endpoints();
  const { authorization, pushedRequest } = endpoints;
  if (authorization === undefined) {
    return { failed: whyUnknown(endpoints, "authorization_endpoint") };
  }
  if (!pushed) return { ...draft, url: urlWith(authorization, parameters) };
  if (pushedRequest === undefined) {
    const missing = "pushed_authorization_request_endpoint";
    return { failed: `its metadata requires pushed requests, but has no ${missing}` };
  }
  const { requestUri, ...refused } = await push(sender, client, pushedRequest, parameters);
  if (requestUri === undefined) {
    return {
      failed: `the pushed authorization request was refused: ${explainResponse(refused)}`,
      ...(isUnclear(refused) && { unclear: true }),
      refusedBy: refused.answer,
    };
  }
  const reference: [string, string][] = [
    ["client_id", client.id],
    ["request_uri", requestUri],
  ];
  return { ...draft, url: urlWith(authorization, reference) };
}

/**
 * Whether a client has to push its requests: the metadata says so, or a good request is refused before any login
 * and accepted when it is pushed. RFC 9126 section 6 lets a server demand it of one client without saying so.
 * @param good makes a good request
 * @throws Interrupted
 */
export async function hasToPush(
  sender: RequestSender,
  client: Client,
  good: () => AuthorizationDraft,
): Promise<boolean> {
  const { pushedRequest, mustPush } = await sender.endpoints();
  if (mustPush || pushedRequest === undefined) return mustPush;
  const refused = await refusalBeforeLogin(sender, client, good());
  if (!refused || refused.unclear) return false;
  const { parameters } = good();
  return (await push(sender, client, pushedRequest, parameters)).requestUri !== undefined;
}

interface NoLogin {
  /** As a sentence's end. */
  readonly by: string;
  /** Whether it says nothing about the request, such as 429. */
  readonly unclear: boolean;
}

/** How a good request is refused before any login; `undefined` where it is not. */
export async function refusalBeforeLogin(
  sender: RequestSender,
  client: Client,
  draft: AuthorizationDraft,
): Promise<NoLogin | undefined> {
  const request = await composeRequest(sender, client, draft, false);
  if ("failed" in request) return undefined;
  const redirectUri = new URL(draft.redirectUri);
  const led = await followAuthorization(
    (one) => sender.origins.send(LOOK, one),
    request.url,
    (to) => isSamePlace(to, redirectUri),
  );
  if (led.kind === "unclear") return { by: led.why, unclear: true };
  if (isErrorPage(led)) return { by: `the status ${led.status}`, unclear: false };
  if (led.kind !== "redirected") return undefined;
  const { searchParams } = led.url;
  const error = searchParams.get("error");
  return error === null ? undefined : { by: explainError(error, searchParams), unclear: false };
}

export interface PushedAnswer extends Pick<TokenResponse, "answer" | "exchange"> {
  readonly error?: string | undefined;
  /** The reference to the parameters; `undefined` where they were refused. */
  readonly requestUri?: string | undefined;
}

/** Pushes the parameters of a draft. Returns the answer, or why nothing was sent. */
export async function pushDraft(
  sender: RequestSender,
  client: Client,
  { parameters }: AuthorizationDraft,
  credentials?: Credentials,
): Promise<PushedAnswer | Failed> {
  const { pushedRequest: url } = await sender.endpoints();
  if (url === undefined) {
    return { failed: "its metadata names no pushed_authorization_request_endpoint" };
  }
  return credentials
    ? pushOnce(sender, url, parameters, credentials)
    : push(sender, client, url, parameters);
}

/** Pushes parameters. A client that was never accepted may need another form of authentication. */
async function push(
  sender: RequestSender,
  client: Client,
  url: string,
  parameters: URLSearchParams,
): Promise<PushedAnswer> {
  const known = sender.forms.get(client.name);
  let last: PushedAnswer | undefined;
  for (const form of known ? [known] : formsOf(client)) {
    const { token: tokenUrl = url } = await sender.endpoints();
    // RFC 9126 section 2.1: the client authenticates as at the token endpoint.
    const at = { issuer: sender.server.issuer, tokenUrl };
    const credentials = await credentialsOf(client, form, at);
    last = await pushOnce(sender, url, parameters, credentials);
    if (last.requestUri !== undefined) sender.forms.set(client.name, form);
    if (!isUnauthenticated(last) || last.requestUri !== undefined) return last;
  }
  if (!last) throw new Error("a client has at least one form of authentication");
  return last;
}

async function pushOnce(
  { origins }: RequestSender,
  url: string,
  parameters: URLSearchParams,
  credentials: Credentials,
): Promise<PushedAnswer> {
  const body = new URLSearchParams(parameters);
  for (const [name, value] of Object.entries(credentials.parameters)) {
    if (!body.has(name)) body.append(name, value);
  }
  const headers = [["accept", "application/json"] as const, ...credentials.headers];
  const answer = await origins.send(PUSH, { method: "POST", url, headers, form: body });
  const { request_uri: requestUri, error } = isObject(answer.json) ? answer.json : {};
  const isAccepted = answer.status >= 200 && answer.status < 300 && typeof requestUri === "string";
  return {
    answer,
    exchange: answer.reply.exchange.id,
    requestUri: isAccepted ? requestUri : undefined,
    error: typeof error === "string" && error !== "" ? error : undefined,
  };
}
