import type { Scope } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";
import type { Client, Flow } from "../profile/authorization-server.ts";
import { parseToken } from "../tokens/parse.ts";
import type { Coded, Connection, Failed } from "./connection.ts";
import { inShort } from "./metadata.ts";
import type { TokenResponse } from "./token-request.ts";

/** An access token that the deployment issued, and how it came about. The token itself is never shown. */
export interface IssuedToken {
  readonly client: Client;
  readonly flow: Flow;
  /** The contract's scopes that were asked for. */
  readonly asked: readonly Scope[];
  /** The same as the server was asked, separated by spaces. */
  readonly askedWords: string;
  readonly token: string;
  /** Why it is no signed JWT, as a phrase, where it is none. */
  readonly unreadable?: string | undefined;
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly response: TokenResponse;
  /** The redirect that brought the code; flow `authorization_code`. */
  readonly coded?: Coded | undefined;
  /** Id of the exchange that brought it. */
  readonly exchange: string;
  /** By this machine's clock. */
  readonly issuedAtMs: number;
}

/** The good tokens of a run. */
export interface IssuedTokens {
  /** A token for a client: the one that it has already, until that is about to expire. */
  get(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /** A new token for a client, whatever it has. */
  fresh(name: string, client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /** Every token so far, in order. */
  readonly all: readonly IssuedToken[];
}

const MARGIN_MS = 15_000;

/** @param connection to the server that issues them */
export function createIssuedTokens(connection: Connection): IssuedTokens {
  const all: IssuedToken[] = [];
  const kept = new Map<string, Promise<IssuedToken | Failed>>();

  const tokens: IssuedTokens = {
    all,
    async get(client, scopes = client.scopes) {
      const key = `${client.name} ${scopes.toSorted().join(" ")}`;
      const known = kept.get(key);
      if (known) {
        const token = await known;
        if (!("failed" in token) && !isOver(token)) return token;
        // Somebody who waited too may have asked for another one by now.
        if (kept.get(key) !== known) return tokens.get(client, scopes);
      }
      const name = `authorization-server/token-${client.name}`;
      const got = tokens.fresh(name, client, scopes);
      kept.set(key, got);
      return got;
    },
    async fresh(name, client, scopes = client.scopes) {
      let got = await obtain(connection, name, client, scopes);
      if ("failed" in got && connection.mayRetry(client)) {
        got = await obtain(connection, name, client, scopes);
      }
      if (!("failed" in got)) all.push(got);
      return got;
    },
  };
  return tokens;
}

/** Whether a token is about to expire: what is asked for is asked for in good time. */
export function isOver({
  claims,
  response,
  issuedAtMs,
}: Pick<IssuedToken, "claims" | "issuedAtMs"> & Partial<Pick<IssuedToken, "response">>): boolean {
  const seconds = response?.expiresIn ?? lifetimeOf(claims, issuedAtMs / 1000);
  return seconds !== undefined && Date.now() > issuedAtMs + seconds * 1000 - MARGIN_MS;
}

/** How long a token is good from when it came; by its own clock where ours is another. */
function lifetimeOf({ exp, iat }: JsonObject, now: number): number | undefined {
  if (typeof exp !== "number") return undefined;
  const whole = typeof iat === "number" ? exp - iat : undefined;
  const left = exp - now;
  return left > 0 ? Math.min(left, whole ?? left) : whole;
}

async function obtain(
  connection: Connection,
  name: string,
  client: Client,
  asked: readonly Scope[],
): Promise<IssuedToken | Failed> {
  let coded: Coded | undefined;
  let response: TokenResponse | Failed;
  if (client.flow === "client_credentials") {
    response = await connection.clientCredentials(name, client, asked);
  } else {
    const consented = await connection.consent(client, asked);
    if ("failed" in consented) {
      return { ...consented, failed: `there was no consent: ${consented.failed}` };
    }
    const { code, error } = consented.answer;
    if (code === undefined) {
      return { failed: `the redirect brought ${error ? `the error ${inline(error)}` : "no code"}` };
    }
    coded = consented;
    response = await connection.exchange(name, client, coded.request, code);
  }
  if ("failed" in response) return response;
  const { accessToken: token } = response;
  if (token === undefined) {
    const failed = `the token endpoint gave no token: ${describeResponse(response)}`;
    return isUnclear(response) ? { failed, unclear: true } : { failed };
  }
  const parsed = parseToken(token);
  const readable = typeof parsed !== "string";
  return {
    client,
    flow: client.flow,
    asked,
    askedWords: connection.wordsFor(asked),
    token,
    ...(!readable && { unreadable: parsed }),
    header: readable ? parsed.header : {},
    claims: readable ? parsed.claims : {},
    response,
    coded,
    exchange: response.answer.reply.exchange.id,
    issuedAtMs: Date.now(),
  };
}

/** Statuses that say nothing about a request, and no answer at all. */
const UNCLEAR = new Set([0, 408, 425, 429, 502, 503, 504]);

/** Whether an answer of the token endpoint says nothing about the request. */
export function isUnclear({ answer, accessToken }: TokenResponse): boolean {
  return accessToken === undefined && UNCLEAR.has(answer.status);
}

/** What a token endpoint has answered, in a few words. */
export function describeResponse({ answer, accessToken, error }: TokenResponse): string {
  if (accessToken !== undefined) return `${inShort(answer)} and an access token`;
  return error === undefined ? inShort(answer) : `${inShort(answer)}, ${inline(error)}`;
}

/** A word of the server's, as far as it is one: NQSCHAR of RFC 6749 appendix A, and not long. */
function inline(text: string): string {
  return text.replaceAll(/[^ -~]/g, "?").slice(0, 60);
}
