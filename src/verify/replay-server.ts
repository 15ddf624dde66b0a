import { isDeepStrictEqual } from "node:util";

import type { FindOut, Presented, Redeemable, ServerProbe } from "../authorization-server/probe.ts";
import {
  type AuthorizationAnswer,
  type AuthorizationRequest,
  urlWith,
  draftRequest,
  withoutQuery,
} from "../authorization-server/protocol/authorization-request.ts";
import type { Connection } from "../authorization-server/protocol/connection.ts";
import type { RequestOptions } from "../authorization-server/protocol/consents.ts";
import { isSamePlace } from "../authorization-server/protocol/front-channel.ts";
import {
  clientCredentialsGrant,
  codeGrant,
  type Grant,
  scopeWords,
} from "../authorization-server/protocol/grants.ts";
import { readKeySet } from "../authorization-server/protocol/key-set.ts";
import { discover } from "../authorization-server/protocol/metadata.ts";
import type {
  Origins,
  ServerAnswer,
  ServerRequest,
} from "../authorization-server/protocol/origins.ts";
import type {
  TokenRequest,
  TokenRequestChange,
  TokenResponse,
} from "../authorization-server/protocol/token-request.ts";
import type { IssuedToken } from "../authorization-server/tokens/issued.ts";
import type { Exchange } from "../http/exchange.ts";
import { isUnclearStatus } from "../http/statuses.ts";
import { exchangesOf } from "../probe/finding.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { ReplayContext } from "./checked-case.ts";
import { codeRequest, NOT_TOLD, otherParameters, otherParts, TOKEN } from "./issued.ts";
import { notRecorded, onlyRecorded } from "./missing.ts";
import type { Pool } from "./recorded-exchanges.ts";
import { recordedReply } from "./recorded-reply.ts";
import { type Marks, type ReplayedTry, unlessMissing } from "./recorded-session.ts";
import { recordedResponse } from "./token-responses.ts";
import { isSameText } from "./verification.ts";

/**
 * A probe of the authorization server's side that sends nothing: metadata, keys, claims of tokens and answers come from the
 * record. Tokens, codes and verifiers themselves are secret, so that nothing can be asked of their text.
 * @param sharing whether only what cases share is run, on the requests of one of them. Default: false
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
export function replayServerProbe(tried: ReplayedTry, sharing = false): ServerProbe {
  const { planned, context, pool, evidence, marks } = tried;
  const { caseId } = planned;
  const { facts, senders } = context;
  const server = facts.authorizationServer ?? notRecorded("server");

  const origins = onlyRecorded<Origins>(
    {
      send(name, { method, url }) {
        const fits = ({ request }: Exchange): boolean =>
          request.method === method && request.url === url;
        const exchange =
          name === caseId
            ? takeFirst(pool, fits)
            : (senders.get(name)?.find(fits) ?? notRecorded("server"));
        return Promise.resolve(answerIn(exchange));
      },
    },
    "server",
  );
  // The profile may name endpoints, of which a report has only the origins.
  const endpoints: Connection["endpoints"] = async () =>
    server.urls === undefined ? discover(server, origins) : notRecorded("server");
  const connection = onlyRecorded<Connection>({ endpoints, origins }, "server");

  /** The answers that gave a client a token with all its scopes. Where tokens are issued for the receiver's rules, others have fewer. */
  function wholeTokens({ name, scopes }: Client): Exchange[] {
    const words = scopeWords(server, scopes);
    return (senders.get(TOKEN + name) ?? []).filter(({ request, response }) => {
      const asked = new URLSearchParams(request.body).get("scope");
      return response?.token !== undefined && (asked === null || asked === words);
    });
  }

  /** The client's first token, or the one that the evidence names. */
  async function token(client: Client): Promise<IssuedToken> {
    const ofClient = wholeTokens(client);
    const named = exchangesOf(evidence);
    const exchange = ofClient.find(({ id }) => named.includes(id)) ?? ofClient[0];
    return issuedBy(client, exchange ?? notRecorded("server"), senders);
  }

  /** The response to the next token request of the case. */
  async function answered(
    client: Client,
    grant: Grant,
    change?: TokenRequestChange,
  ): Promise<Exchange> {
    const exchange = takeNext(pool);
    const { token: endpoint } = await endpoints();
    const { url } = exchange.request;
    const isThere =
      change?.carriedBy === "query" ? url.startsWith(endpoint ?? "") : url === endpoint;
    if (!isThere) marks.differing.push({ id: exchange.id, what: "URL" });
    for (const part of await otherParts(exchange, client, grant, change))
      marks.differing.push({ id: exchange.id, what: part });
    return exchange;
  }

  /** A token that the case requested. */
  async function freshToken(client: Client, scopes = client.scopes): Promise<IssuedToken> {
    const grant =
      client.flow === "client_credentials"
        ? clientCredentialsGrant(server, scopes)
        : codeGrant(codeRequest(client, senders), NOT_TOLD);
    return issuedBy(client, await answered(client, grant), senders);
  }

  /** A code. That there was one is known only if the case has redeemed it. */
  async function code(client: Client): Promise<Redeemable> {
    const [next] = pool;
    return next?.request.method === "POST" ? codedOf(client, senders) : notRecorded("server");
  }

  /** Whether a client pushes its requests. If it does without having to, none of its requests fits. */
  async function pushes(): Promise<boolean> {
    return (await endpoints()).mustPush ? notRecorded("server") : false;
  }

  /** An authorization request in the URL. */
  async function authorizationRequest(
    client: Client,
    { change = {}, pushed }: RequestOptions = {},
  ): Promise<AuthorizationRequest> {
    const { authorization } = await endpoints();
    // The state that comes back is secret.
    const isSecret = (pushed ?? (await pushes())) || "state" in change;
    if (authorization === undefined || isSecret) return notRecorded("server");
    const { redirectUri } = codeRequest(client, senders);
    const words = scopeWords(server, client.scopes);
    const { parameters, ...draft } = await draftRequest(client, words, redirectUri, change);
    for (const name of ["state", "code_challenge"] as const) {
      const own = name === "state" ? draft.state : draft.challenge;
      if (parameters.get(name) === own) parameters.set(name, NOT_TOLD);
    }
    return { ...draft, url: urlWith(authorization, parameters) };
  }

  /** The answer to the next request of a browser without a session. */
  async function send({ method, url }: ServerRequest): Promise<ServerAnswer> {
    const { authorization } = await endpoints();
    const isLike = (one: Exchange): boolean => one.request.method === method && isSameUrl(one, url);
    dropRepeated(pool);
    const [next] = pool;
    const isOfStart = authorization !== undefined && url.startsWith(authorization);
    if (next && !isLike(next) && isOfStart && isStart(next, url) && !sharing) {
      marks.differing.push({ id: next.id, what: "authorization request" });
      return browserAnswer(
        takeFirst(pool, () => true),
        marks,
      );
    }
    return browserAnswer(takeFirst(pool, isLike), marks);
  }

  /** Runs what cases share on the record of the case that did so first. */
  async function shared<T>(find: FindOut<T>, client: Client): Promise<T> {
    for (const [name, theirs] of [[caseId, pool] as const, ...senders]) {
      if (!theirs.some(({ request }) => request.url.includes("client_id="))) continue;
      const rest = [...theirs];
      const other = { ...planned, caseId: name };
      const probe = replayServerProbe({ ...tried, planned: other, pool: rest }, true);
      const found = await unlessMissing(async () => ({ value: await find(probe, client) }));
      if (!found) continue;
      if (theirs === pool) pool.splice(0, pool.length, ...rest);
      return found.value;
    }
    return onlyRecorded({}, "server") as T;
  }

  /** The receiver's answer to a token of the case, or to another text in its place. A token may be another one of its client, if it was used for long. */
  function present({ client, header, claims }: IssuedToken, isOther: boolean): Presented {
    const exchange = takeNext(pool);
    const { token: sent } = exchange.request;
    const issued = wholeTokens(client).map(({ response }) => response?.token);
    const isSame = [{ header, claims }, ...issued].some((one) =>
      isDeepStrictEqual(
        { header: sent?.header, claims: sent?.claims },
        { header: one?.header, claims: one?.claims },
      ),
    );
    if (!isOther && sent !== undefined && !isSame && !JSON.stringify(sent).includes("[redacted"))
      marks.differing.push({ id: exchange.id, what: "token" });
    const { controls = [] } = evidence;
    return { reply: recordedReply(exchange), evidence: { probes: [exchange.id], controls } };
  }

  return onlyRecorded<ServerProbe>(
    {
      target: context.target,
      server,
      endpoints,
      async keySet() {
        const found = await readKeySet(connection, caseId);
        return "failed" in found ? notRecorded("server") : found;
      },
      tryKeySet: () => readKeySet(connection, caseId),
      token,
      currentToken: token,
      freshToken,
      tryToken: freshToken,
      control: token,
      code,
      tryCode: code,
      redirectUri: async (client) => new URL(codeRequest(client, senders).redirectUri),
      authorizationRequest,
      pushes,
      send,
      shared,
      wait: () => Promise.resolve(),
      present: async (issued) => present(issued, false),
      presentOther: async (issued) => present(issued, true),
      clientCredentials: async (client, scopes, change) =>
        responseIn(await answered(client, clientCredentialsGrant(server, scopes), change)),
      exchange: async (client, coded, change) =>
        responseIn(await answered(client, codeGrant(coded.request, coded.code), change)),
    },
    "server",
  );
}

/** @throws NotRecorded when none fits */
function takeFirst(pool: Pool, fits: (exchange: Exchange) => boolean): Exchange {
  const at = pool.findIndex(fits);
  const [found] = at < 0 ? [] : pool.splice(at, 1);
  return found ?? notRecorded("server");
}

/**
 * Takes the next request of a case.
 * @throws NotRecorded when there is none
 */
function takeNext(pool: Pool): Exchange {
  dropRepeated(pool);
  return takeFirst(pool, () => true);
}

/** Drops requests that were sent again at once, because only the last answer counts. */
function dropRepeated(pool: Pool): void {
  while (isRepeated(pool[0], pool[1])) pool.shift();
}

function isRepeated(first: Exchange | undefined, next: Exchange | undefined): boolean {
  return (
    first !== undefined &&
    isUnclearStatus(first.response?.status ?? 0) &&
    isDeepStrictEqual(first.request, next?.request)
  );
}

/** A response of the token endpoint. Whether two refresh tokens are the same is not known. */
function responseIn(exchange: Exchange): TokenResponse {
  const response = recordedResponse(exchange, onlyRecorded<TokenRequest>({}, "server"));
  if (!response) return notRecorded("server");
  const { refreshToken, idToken, ...told } = response;
  return onlyRecorded<TokenResponse>(
    {
      ...told,
      ...(refreshToken === undefined && { refreshToken }),
      ...(idToken === undefined && { idToken }),
    },
    "server",
  );
}

/**
 * An answer to a browser. Of a redirect, ids and codes may be redacted, and its host must be known. Of a page, nothing need be known.
 * @param marks are doubtful if something may lead on that is not recorded
 */
function browserAnswer(exchange: Exchange, marks: Marks): ServerAnswer {
  const { response, redactions = [] } = exchange;
  const { location = "" } = response?.headers ?? {};
  const isPlain = !/^(?:[^/]*\/\/)?[^/?#]*\[redacted/.test(location);
  // Cookies are sent back, and no rule reads them.
  const known = ["response.headers.set-cookie", ...(isPlain ? ["response.headers.location"] : [])];
  const left = redactions.filter(({ place }) => !known.includes(place));
  const reply = recordedReply({ ...exchange, redactions: left });
  const { status, headers } = reply;
  const isRedirect = status >= 300 && status < 400 && location !== "";
  return {
    reply,
    status,
    headers,
    get body() {
      if (isRedirect || !response) return "";
      if (response.truncated || response.body.startsWith("[redacted")) marks.doubtful = true;
      return response.body;
    },
    json: undefined,
  };
}

/** Whether a request has a URL, up to random values and what is redacted. */
function isSameUrl({ request: { url } }: Exchange, made: string): boolean {
  const [sent, expected] = [new URL(url), new URL(made)];
  return (
    isSameText(withoutQuery(url), withoutQuery(made)) &&
    otherParameters(sent.searchParams, expected.searchParams).length === 0
  );
}

/** Whether a request is one to the same endpoint that holds its parameters itself. */
function isStart({ request: { method, url } }: Exchange, made: string): boolean {
  const { searchParams } = new URL(url);
  const isWhole = searchParams.has("client_id") && !searchParams.has("request_uri");
  return method === "GET" && isSamePlace(new URL(url), new URL(made)) && isWhole;
}

function answerIn(exchange: Exchange): ServerAnswer {
  const reply = recordedReply(exchange);
  return {
    reply,
    status: reply.status,
    headers: reply.headers,
    get body() {
      return reply.body;
    },
    get json() {
      return reply.json();
    },
  };
}

/** @throws NotRecorded where header and claims of the token are not recorded as they came */
function issuedBy(
  client: Client,
  exchange: Exchange,
  senders: ReplayContext["senders"],
): IssuedToken {
  const { id, startedAt, durationMs } = exchange;
  const { header, claims } = exchange.response?.token ?? {};
  if (!header || !claims || JSON.stringify([header, claims]).includes("[redacted"))
    return notRecorded("server");
  const isCoded = client.flow === "authorization_code";
  return onlyRecorded<IssuedToken>(
    {
      client,
      unreadable: undefined,
      header,
      claims,
      get response() {
        return responseIn(exchange);
      },
      coded: isCoded ? codedOf(client, senders) : undefined,
      exchange: id,
      issuedAtMs: Date.parse(startedAt) + durationMs,
    },
    "server",
  );
}

/** An authorization request of a client, and the redirect that brought its code. */
function codedOf(client: Client, senders: ReplayContext["senders"]): Redeemable {
  const answer = onlyRecorded<AuthorizationAnswer>({ code: NOT_TOLD }, "server");
  return { code: NOT_TOLD, request: codeRequest(client, senders), answer };
}
