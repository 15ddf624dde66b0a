import { isDeepStrictEqual } from "node:util";

import type { TokenRequestChange } from "../authorization-server/protocol/token-request.ts";
import { controlId, controlledOperation, SERVER } from "../contract/ids.ts";
import type { Exchange } from "../http/exchange.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Facts } from "../profile/facts.ts";
import type { Report } from "../report/report.ts";
import { LONGEST_BODY } from "./made-request.ts";
import type { Note } from "./verification.ts";

/** The case that finds that no two tokens have the same `jti`. */
const TOKEN_ID = "authorization-server.claims/token-id";
/** Names good token requests, before the name of the client. */
export const TOKEN: string = `${SERVER}/token-`;

/** Notes good token requests that are not those of their client, and tokens that were sent otherwise than they were issued. */
export function checkIssued({ exchanges, rules }: Report, facts: Facts, note: Note): void {
  const { clients = [] } = facts.authorizationServer ?? {};
  const all = Object.entries(exchanges);
  for (const [name, exchange] of all) {
    const client = clientOf(exchange, clients);
    if (client)
      checkTokenRequest(exchange, client, (where, what) =>
        note(`/exchanges/${pointerToken(name)}/request${where}`, what),
      );
  }
  const isOfOne = rules.some(({ cases }) =>
    cases.some(({ id, outcome }) => id === TOKEN_ID && outcome === "pass"),
  );
  if (!isOfOne) return;
  const issued = new Map(
    all.map(([, { response }]) => [response?.token?.claims?.["jti"], response?.token]),
  );
  for (const [name, { caseId, request }] of all) {
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

/** The parts of a changed token request that the change makes otherwise, as phrases. Values that are secret are left out. */
export function otherParts(
  { request: { method, url, headers, body = "" } }: Exchange,
  client: Client,
  { parameters = {}, as = client, credentials, carriedBy }: TokenRequestChange,
): string[] {
  const found: string[] = [];
  const differs = (part: string): void => void found.push(`this case makes another ${part}`);
  if (method !== (carriedBy === "query" ? "GET" : "POST")) differs("method");
  const isBasic = credentials
    ? credentials.headers.length > 0
    : as.authentication === "client_secret_basic";
  if (isBasic !== headers.some(([field]) => field === "authorization")) differs("authentication");
  if (carriedBy === "json" || body.startsWith("[redacted") || body.length > LONGEST_BODY)
    return found;
  const sent = carriedBy === "query" ? new URL(url).searchParams : new URLSearchParams(body);
  const plain = as.authentication === "none" || as.authentication === "client_secret_post";
  const wanted = { ...(!credentials && plain && { client_id: as.id }), ...credentials?.parameters };
  for (const [name, value] of Object.entries({ ...wanted, ...parameters })) {
    const values = value === undefined ? [] : [value].flat();
    const recorded = sent.getAll(name);
    const isSame =
      recorded.length === values.length &&
      recorded.every((one, at) => one.includes("[redacted") || one === values[at]);
    if (!isSame) differs(`parameter ${name}`);
  }
  return found;
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

function checkTokenRequest({ request }: Exchange, client: Client, note: Note): void {
  const { method, headers, body = "" } = request;
  const { name, flow, authentication, tokenParameters } = client;
  if (method !== "POST") note("/method", "a token request is a POST");
  const grant = new URLSearchParams(body).get("grant_type");
  if (!body.startsWith("[redacted") && !("grant_type" in tokenParameters) && grant !== flow)
    note("/body", `the client ${name} gets its tokens by ${flow}`);
  const isBasic = headers.some(
    ([field, value]) => field === "authorization" && value.startsWith("Basic "),
  );
  if (isBasic !== (authentication === "client_secret_basic"))
    note("/headers", `the client ${name} authenticates by ${authentication}`);
}
