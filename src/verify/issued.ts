import { isDeepStrictEqual } from "node:util";

import type { AuthorizationRequest } from "../authorization-server/protocol/authorization-request.ts";
import {
  byAssertion,
  type Credentials,
  credentialsOf,
} from "../authorization-server/protocol/client-authentication.ts";
import {
  clientCredentialsGrant,
  codeGrant,
  type Grant,
  scopeWords,
} from "../authorization-server/protocol/grants.ts";
import { formOf, type TokenRequestChange } from "../authorization-server/protocol/token-request.ts";
import { controlId, controlledOperation, SERVER } from "../contract/ids.ts";
import type { Exchange } from "../http/exchange.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import type { Client } from "../profile/authorization-server.ts";
import { GIVEN } from "../profile/facts.ts";
import type { ReplayContext } from "./checked-case.ts";
import type { Note } from "./verification.ts";

/** A longer body may be cut in the record. */
const LONGEST_BODY = 4000;
/** The case that finds that no two tokens have the same `jti`. */
const TOKEN_ID = "authorization-server.claims/token-id";
/** Names good token requests, before the name of the client. */
export const TOKEN: string = `${SERVER}/token-`;

/** Stands for a secret or a random value, which a report does not hold. */
export const NOT_TOLD = "[redacted]";
/** Parameters of which only it is known whether they are empty. */
const SECRET: ReadonlySet<string> = new Set([
  "client_assertion",
  "client_secret",
  "code",
  "refresh_token",
]);

/** Parameters with random values, and their form. */
const RANDOM: ReadonlySet<string> = new Set(["code_challenge", "code_verifier", "state"]);
const RANDOM_FORM = /^[\w-]{43}$/;

/** Notes good token requests that are not those of their client, and tokens that were sent otherwise than they were issued. */
export async function checkIssued(context: ReplayContext, note: Note): Promise<void> {
  const { report, facts, exchanges } = context;
  const { clients = [] } = facts.authorizationServer ?? {};
  for (const [name, exchange] of exchanges) {
    const client = clientOf(exchange, clients);
    if (!client) continue;
    const where = `/exchanges/${pointerToken(name)}/request`;
    for (const what of await otherParts(exchange, client, goodGrant(exchange, client, context)))
      note(where, `a good request of ${client.name} has another ${what}`);
  }
  const isOfOne = report.rules.some(({ cases }) =>
    cases.some(({ id, outcome }) => id === TOKEN_ID && outcome === "pass"),
  );
  if (!isOfOne) return;
  const issued = new Map(
    [...exchanges.values()].map(({ response }) => [
      response?.token?.claims?.["jti"],
      response?.token,
    ]),
  );
  for (const [name, { caseId, request }] of exchanges) {
    const sent = request.token ?? {};
    const jti = sent.claims?.["jti"];
    const original = issued.get(jti);
    // The token of any other request may be changed.
    if (controlledOperation(caseId) === undefined || jti === undefined || !original) continue;
    if (JSON.stringify([sent, original]).includes("[redacted")) continue;
    if (!isDeepStrictEqual({ ...original }, { ...sent }))
      note(
        `/exchanges/${pointerToken(name)}/request/token`,
        "the authorization server issued another token with this `jti`",
      );
  }
}

/** The rule about published keys. */
const KEYS = "authorization-server.keys";
const THUMBPRINTS = ["x5t", "x5t#S256"];

/** Notes tokens that name no published key, though the cases have passed by which each names the key that verifies it. */
export function checkNamedKeys({ report, facts, exchanges }: ReplayContext, note: Note): void {
  const cases = report.rules.find(({ id }) => id === KEYS)?.cases ?? [];
  const passed = new Map(cases.flatMap((one) => (one.outcome === "pass" ? [[one.id, one]] : [])));
  const { clients = [] } = facts.authorizationServer ?? {};
  for (const client of clients) {
    const one = passed.get(`${KEYS}/kid@${client.name}`);
    const published = exchanges.get(one?.evidence?.probes.at(-1) ?? "");
    const json = parseJson(published?.response?.body ?? "");
    if (!published || !passed.has(`${KEYS}/found@${client.name}`) || !isObject(json)) continue;
    const keys = Array.isArray(json["keys"]) ? json["keys"].filter(isObject) : [];
    for (const [name, exchange] of exchanges) {
      const { header } = exchange.response?.token ?? {};
      const isBefore = exchange.startedAt < published.startedAt;
      if (!header || !isBefore || clientOf(exchange, clients) !== client) continue;
      if (namesKey(header, keys)) continue;
      note(
        `/exchanges/${pointerToken(name)}/response/token/header`,
        `it names no key of ${published.id}, by which ${one?.id ?? ""} passed`,
      );
    }
  }
}

/** Whether a token names a key. Where there is one without a name, it need not. */
function namesKey(header: JsonObject, keys: readonly JsonObject[]): boolean {
  const isNameless = keys.length === 1 && keys[0]?.["kid"] === undefined;
  const isThumbprint = THUMBPRINTS.some((name) => header[name] !== undefined);
  if (header["kid"] === undefined) return keys.length <= 1 || isThumbprint;
  return isNameless || keys.some((key) => key["kid"] === header["kid"]);
}

/** The grant of a client's good token request. Where tokens are issued for the receiver's rules, some ask for fewer scopes. */
function goodGrant(
  { request: { body = "" } }: Exchange,
  client: Client,
  { facts: { authorizationServer: server, issued }, senders }: ReplayContext,
): Grant {
  if (!server || client.flow === "authorization_code")
    return codeGrant(codeRequest(client, senders), NOT_TOLD);
  const asked = new URLSearchParams(body).get("scope")?.split(" ") ?? [];
  const own = scopeWords(server, client.scopes).split(" ");
  const isFewer = issued !== undefined && asked.every((word) => own.includes(word));
  return isFewer
    ? { ...clientCredentialsGrant(server, []), ...(asked.length > 0 && { scope: asked.join(" ") }) }
    : clientCredentialsGrant(server, client.scopes);
}

/** What is known of a client's authorization requests: where their redirects arrive, by the first good token request. */
export function codeRequest(
  { name }: Pick<Client, "name">,
  senders: ReplayContext["senders"],
): AuthorizationRequest {
  const [first] = senders.get(TOKEN + name) ?? [];
  const redirectUri = new URLSearchParams(first?.request.body).get("redirect_uri") ?? NOT_TOLD;
  const secret = { state: NOT_TOLD, verifier: NOT_TOLD, challenge: NOT_TOLD };
  return { ...secret, redirectUri, url: NOT_TOLD };
}

/** The parts of a token request that its grant, its client and a change make otherwise, as phrases. */
export async function otherParts(
  { request: { method, url, headers, body = "" } }: Exchange,
  client: Client,
  grant: Grant,
  change: TokenRequestChange = {},
): Promise<string[]> {
  const { as = client, carriedBy } = change;
  const found = method === (carriedBy === "query" ? "GET" : "POST") ? [] : ["method"];
  const credentials = change.credentials ?? (await credentialsAs(as));
  const presented = headers.filter(([field]) => field === "authorization");
  const fits = presented.every(([, value]) => /^Basic \S/.test(value));
  if (presented.length !== credentials.headers.length || !fits) found.push("authentication");
  if (carriedBy === "json" || body.startsWith("[redacted") || body.length > LONGEST_BODY)
    return found;
  const sent = carriedBy === "query" ? new URL(url).searchParams : new URLSearchParams(body);
  const made = formOf(client, grant, credentials, change);
  return [...found, ...otherParameters(sent, made).map((name) => `parameter ${name}`)];
}

/** The names of the parameters that a request has otherwise than it is made. */
export function otherParameters(sent: URLSearchParams, made: URLSearchParams): string[] {
  return [...new Set([...made.keys(), ...sent.keys()])].filter((name) => {
    const [recorded, expected] = [sent.getAll(name), made.getAll(name)];
    return (
      recorded.length !== expected.length ||
      !expected.every((value, at) => isSameParameter(name, recorded[at] ?? "", value))
    );
  });
}

function isSameParameter(name: string, recorded: string, expected: string): boolean {
  if (expected === GIVEN) return true;
  if (SECRET.has(name) || recorded.includes("[redacted"))
    return (recorded === "") === (expected === "");
  if (!expected.includes(NOT_TOLD)) return recorded === expected;
  return !RANDOM.has(name) || RANDOM_FORM.test(recorded);
}

/** The credentials of a client, in which the secrets are others. */
function credentialsAs(client: Client): Credentials | Promise<Credentials> {
  return client.authentication === "private_key_jwt"
    ? byAssertion(client, NOT_TOLD)
    : credentialsOf(
        client,
        { basic: "encoded", assertionAudience: "issuer" },
        { issuer: "", tokenUrl: "" },
      );
}

/** Whether an exchange is the token request of a working flow. */
export function isFlow({ caseId, request: { body = "" } }: Exchange): boolean {
  return (
    caseId.startsWith(TOKEN) || (caseId.startsWith(controlId("")) && body.startsWith("grant_type="))
  );
}

/** Whether the answer to a token request has a token. One that is redacted as a whole may have one. */
export function gaveToken({ response }: Exchange): boolean {
  const { body = "", token } = response ?? {};
  return token !== undefined || /^\[redacted|"access_token"/.test(body);
}

/** The client whose flow sent a good token request: the one with the longest name that fits. */
export function clientOf({ caseId }: Exchange, clients: readonly Client[]): Client | undefined {
  return clients
    .filter(({ name }) => caseId === `${TOKEN}${name}` || caseId.startsWith(controlId(`${name}-`)))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}
