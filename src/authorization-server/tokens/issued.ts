import { controlId } from "../../contract/ids.ts";
import type { Scope } from "../../contract/operations.ts";
import { SECOND_TRIES } from "../../http/second-tries.ts";
import { isObject, type JsonObject } from "../../lib/json.ts";
import { phrase } from "../../probe/phrase.ts";
import type { Client } from "../../profile/authorization-server.ts";
import { parseToken } from "../../tokens/parse.ts";
import type { Connection } from "../protocol/connection.ts";
import type { Coded } from "../protocol/consents.ts";
import type { Failed } from "../protocol/failed.ts";
import { clientCredentialsGrant, codeGrant, scopeWords } from "../protocol/grants.ts";
import type { TokenResponse } from "../protocol/token-request.ts";
import {
  explainError,
  explainResponse,
  inline,
  isUnauthenticated,
  isUnclear,
} from "../protocol/token-response.ts";

/** An access token that the deployment issued, with its origin. The token itself is never shown. */
export interface IssuedToken {
  readonly client: Client;
  /** The contract's scopes that were requested. */
  readonly asked: readonly Scope[];
  /** The server's names of these scopes, separated by spaces. */
  readonly askedWords: string;
  readonly token: string;
  /** Why it is not a signed JWT, as a phrase; absent where it is one. */
  readonly unreadable?: string | undefined;
  readonly header: JsonObject;
  readonly claims: JsonObject;
  readonly response: TokenResponse;
  /** The redirect that brought the code, for the flow `authorization_code`. */
  readonly coded?: Coded | undefined;
  /** The token that came with the refresh token that this one came for; absent where it came for none. */
  readonly refreshed?: IssuedToken | undefined;
  /** Id of the exchange that brought the token. */
  readonly exchange: string;
  /** The time of issue by this machine's clock. */
  readonly issuedAtMs: number;
}

/** Whether a token has a claim. Many issuers write `null` in place of a claim that is absent. */
export function hasClaim({ claims }: Pick<IssuedToken, "claims">, claim: string): boolean {
  return claims[claim] !== undefined && claims[claim] !== null;
}

export interface IssuedTokens {
  /**
   * A client's current token, or a new one where the current one is about to expire. A client that never got a
   * token is given up after three tries, because each may take a person two minutes, or be the last before a lockout.
   */
  get(client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /** A new token for a client, whatever it has. */
  fresh(name: string, client: Client, scopes?: readonly Scope[]): Promise<IssuedToken | Failed>;
  /**
   * The token of a client's working flow, which is determined once. A refusal proves something only beside a flow that
   * returned a token.
   */
  control(client: Client): Promise<IssuedToken | Failed>;
  /** Repeats the flow of a control after the probes that rest on it. */
  repeat(control: IssuedToken, label: string): Promise<{ exchange: string } | { refused: string }>;
  /** Adds a token that a refresh token gave; `undefined` where the response has none. */
  refreshed(original: IssuedToken, response: TokenResponse): IssuedToken | undefined;
  readonly all: readonly IssuedToken[];
}

const MARGIN_MS = 15_000;

/** @param connection to the server that issues the tokens */
export function createIssuedTokens(connection: Connection): IssuedTokens {
  const all: IssuedToken[] = [];
  const kept = new Map<string, Promise<IssuedToken | Failed>>();
  const tries = new Map<string, number>();
  const controls = new Map<string, Promise<IssuedToken | Failed>>();
  const neverGot = ({ name }: Client): boolean => !all.some(({ client }) => client.name === name);

  const tokens: IssuedTokens = {
    all,
    async get(client, scopes = client.scopes) {
      const key = `${client.name} ${scopes.toSorted().join(" ")}`;
      const known = kept.get(key);
      const tried = tries.get(key) ?? 0;
      if (known) {
        const token = await known;
        if (
          "failed" in token
            ? tried > SECOND_TRIES.noToken.times && neverGot(client)
            : !isOver(token)
        )
          return token;
        // Another caller that waited may have requested a new token by now.
        if (kept.get(key) !== known) return tokens.get(client, scopes);
      }
      tries.set(key, tried + 1);
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
    control(client) {
      const control = controls.get(client.name) ?? tokens.get(client);
      controls.set(client.name, control);
      return control;
    },
    async repeat({ client }, label) {
      controls.delete(client.name);
      const got = await tokens.fresh(controlId(`${client.name}-${label}`), client);
      return "failed" in got ? { refused: got.failed } : { exchange: got.exchange };
    },
    refreshed(original, response) {
      const { client, asked, askedWords } = original;
      const got = tokenIn(response, { client, asked, askedWords, refreshed: original });
      if (got) all.push(got);
      return got;
    },
  };
  return tokens;
}

/** Whether a token is expired or expires within 15 seconds. */
export function isOver({
  claims,
  response,
  issuedAtMs,
}: Pick<IssuedToken, "claims" | "issuedAtMs"> & Partial<Pick<IssuedToken, "response">>): boolean {
  const seconds = response?.expiresIn ?? lifetimeOf(claims, issuedAtMs / 1000);
  return seconds !== undefined && Date.now() > issuedAtMs + seconds * 1000 - MARGIN_MS;
}

/** How long a token is valid after it arrived, in seconds; by `iat` where the clocks differ. */
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
    const grant = clientCredentialsGrant(connection.server, asked);
    response = await connection.request(name, client, grant);
  } else {
    const redeemable = await obtainCode(connection, client, asked);
    if ("failed" in redeemable) return redeemable;
    ({ coded } = redeemable);
    response = await connection.request(name, client, codeGrant(coded.request, redeemable.code));
  }
  if ("failed" in response) return response;
  const askedWords = scopeWords(connection.server, asked);
  return (
    tokenIn(response, { client, asked, askedWords, coded }) ??
    whyNoToken(connection, client, response, coded)
  );
}

async function obtainCode(
  { consents }: Connection,
  client: Client,
  asked: readonly Scope[],
): Promise<{ readonly code: string; readonly coded: Coded } | Failed> {
  const coded = await consents.obtain(client, asked);
  if ("failed" in coded) return { ...coded, failed: `there was no consent: ${coded.failed}` };
  const { code, error } = coded.answer;
  if (code !== undefined) return { code, coded };
  const { parameters } = coded.answer;
  if (error) return { failed: `the redirect had ${explainError(error, parameters)}` };
  const failed = `the redirect had ${withoutCode(parameters)}`;
  // Its state shows that it answers this request, RFC 6749 section 4.1.2.
  const isAnswer = parameters.getAll("state").includes(coded.request.state);
  const expected = phrase`a redirect with code, or with error`;
  return isAnswer ? { failed, wrong: { expected } } : { failed };
}

/** Why a response of the token endpoint brought no token. */
async function whyNoToken(
  connection: Connection,
  client: Client,
  response: TokenResponse,
  coded: Coded | undefined,
): Promise<Failed> {
  const failed = `the token endpoint gave no token: ${explainResponse(response)}`;
  if (isUnclear(response)) return { failed, unclear: true };
  const { exchange } = response;
  if (isNeither(response)) {
    const expected = phrase`JSON with access_token, or with error`;
    return { failed: `${failed}, without access_token or error`, wrong: { expected, exchange } };
  }
  const codes = new Set(coded?.answer.parameters.getAll("code"));
  if (codes.size > 1) {
    // RFC 6749 section 3.1: a response must not repeat a parameter, so a client need not try every code.
    return {
      failed: `the redirect had ${codes.size} different codes; for the first, ${failed}`,
      wrong: { expected: phrase`a redirect with one code`, exchange },
    };
  }
  return { failed: failed + (await otherMethods(connection, client, response)) };
}

/**
 * The methods of client authentication in the metadata, as the end of a sentence, if the client was refused and the
 * profile's method is not one of them; empty otherwise.
 */
async function otherMethods(
  connection: Connection,
  { authentication }: Client,
  response: TokenResponse,
): Promise<string> {
  const [document] = (await connection.endpoints()).documents;
  const listed = document?.metadata["token_endpoint_auth_methods_supported"];
  if (!isUnauthenticated(response) || !Array.isArray(listed) || listed.includes(authentication)) {
    return "";
  }
  return `; the profile's method is ${authentication}, and its metadata lists ${inline(listed.join(", "), 120)}`;
}

/** What a redirect had that brought neither a code nor an error, by its parameters' names. */
function withoutCode(parameters: URLSearchParams): string {
  const names = [...new Set(parameters.keys())].join(", ");
  if (names === "") return "no code, and no other parameter in its query (a fragment is not seen)";
  const swallowed = [...parameters].find(([, value]) => /\?(?:code|error)=/.test(value));
  const why = swallowed && `: a second question mark makes it part of ${inline(swallowed[0])}`;
  return `no code, but ${inline(names)}${why ?? ""}`;
}

/** Whether a response has the status of a token and none, RFC 6749 section 5.1, and is no page. */
function isNeither({ answer: { status, json, body }, error }: TokenResponse): boolean {
  const isForm = new URLSearchParams(body).has("access_token");
  return status >= 200 && status < 300 && error === undefined && (isObject(json) || isForm);
}

/** The token in a response; `undefined` where it has none. */
function tokenIn(
  response: TokenResponse,
  origin: Pick<IssuedToken, "client" | "asked" | "askedWords" | "coded" | "refreshed">,
): IssuedToken | undefined {
  const { accessToken, exchange } = response;
  if (accessToken === undefined) return undefined;
  return { ...origin, ...readToken(accessToken), response, exchange, issuedAtMs: Date.now() };
}

/** What of an issued token the token itself says. */
export type ReadToken = Pick<IssuedToken, "token" | "unreadable" | "header" | "claims">;

/** Reads an access token, as far as it can be read. */
export function readToken(token: string): ReadToken {
  const parsed = parseToken(token);
  return typeof parsed === "string"
    ? { token, unreadable: parsed, header: {}, claims: {} }
    : { token, header: parsed.header, claims: parsed.claims };
}
