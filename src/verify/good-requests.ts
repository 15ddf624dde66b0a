import { isDeepStrictEqual } from "node:util";

import { controlId, controlledOperation } from "../contract/ids.ts";
import { type OperationId, OPERATIONS, type Scope } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import { isObject, type JsonObject, parseJson } from "../lib/json.ts";
import { composeRequest } from "../probe/compose.ts";
import { type PathParams, seededUuid, withoutMarks } from "../probe/request.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Facts } from "../profile/facts.ts";
import { draftToken } from "../tokens/draft.ts";
import { differencesOf } from "./compare-request.ts";
import type { ReplayContext } from "./context.ts";
import { unlessMissing } from "./missing.ts";
import { recordedConnection } from "./recorded-connection.ts";
import { formOf, secondsAhead, secondsOf, SKEW_SECONDS } from "./recorded-controls.ts";
import { placeIn, TOKEN } from "./recorded-exchanges.ts";
import { NOT_TOLD, serverDifferences } from "./server-record.ts";
import type { Note } from "./verification.ts";

/** Notes where a recorded control is not the good request of its operation, composed as a run does it. */
export async function checkControls(context: ReplayContext, note: Note): Promise<void> {
  const { report, facts, exchanges } = context;
  const claims = report.rules.find(({ id }) => id === ISSUED_CLAIMS);
  const clocks = clocksOf([...exchanges.values()]);
  for (const [name, exchange] of exchanges) {
    const id = controlledOperation(exchange.caseId);
    if (id === undefined) continue;
    const where = `/exchanges/${pointerToken(name)}/request`;
    if (isRedacted(exchange, facts)) note(`${where}/token`, "it redacts what the plan says openly");
    // A forged plan may be one of which no token can be made.
    for (const part of await otherParts(exchange, id, context).catch(() => ["form"]))
      note(where, `a good request of ${id} has another ${part}`);
    if (!facts.issued) checkTimes(exchange, clocks, (within, what) => note(where + within, what));
    else if (claims?.outcome === "pass")
      checkIssuedToken(exchange, facts, (within, what) => note(where + within, what));
  }
}

/** Whether a token lacks what the facts show, and no secret claim of the profile takes its place. */
function isRedacted({ request: { token } }: Exchange, { issued, testIssuer }: Facts): boolean {
  const { iss, aud, sub } = { ...token?.claims, ...testIssuer.claims };
  const { kid, alg } = { ...token?.header, ...testIssuer.header };
  return !issued && /\[redacted/.test(JSON.stringify([iss, aud, sub, kid, alg]));
}

/** In what a control is otherwise than the good request of its form, as phrases. */
async function otherParts(
  exchange: Exchange,
  id: OperationId,
  { report, facts, target, made }: ReplayContext,
): Promise<string[]> {
  const operation = OPERATIONS[id];
  const form = formOf(exchange, facts);
  const { primary, other } = facts.organizations;
  const own: PathParams = placeIn(exchange, operation, facts) ?? {};
  // A request that looks for the ETag of an organization may be for another one.
  const isAny = primary === undefined || exchange.id.includes("-etag~");
  const place: PathParams = {
    ...own,
    ...(operation.organization && !isAny && { organization: primary }),
  };
  const organization = place.organization ?? primary;
  const uuid = (label: string): string => seededUuid(report.seed, label);
  const composed = await composeRequest({
    context: { target, operation, form, organization, otherOrganization: other, uuid },
    place,
    draft: draftToken(target, operation, form, organization),
  });
  const { request, token, note: tokenNote } = composed;
  const spec = exchange.id.includes("-unmarked") ? withoutMarks(request) : request;
  const drafted = { at: secondsOf(exchange), keepsIssueTime: true };
  const expected = made({ caseId: exchange.caseId, spec, token, tokenNote });
  return differencesOf(expected, exchange, facts.issued ? undefined : drafted);
}

/** The rule that judges the claims of issued tokens. */
const ISSUED_CLAIMS = "authorization-server.claims";

/** Where the claims of all issued tokens passed, a control's token has them too. */
function checkIssuedToken(
  { request: { token } }: Exchange,
  { audience, authorizationServer }: Facts,
  note: Note,
): void {
  const { iss, aud } = token?.claims ?? {};
  const audiences: readonly unknown[] = Array.isArray(aud) ? aud : [aud];
  if (authorizationServer && iss !== authorizationServer.issuer)
    note("/token/claims/iss", `the authorization server is ${authorizationServer.issuer}`);
  if (!audiences.includes(audience)) note("/token/claims/aud", `the audience is ${audience}`);
}

/** A control's token must be valid when it is sent, by the clock of the suite or by that of the answer. */
function checkTimes(exchange: Exchange, clocks: ReturnType<typeof clocksOf>, note: Note): void {
  const { iat, exp } = exchange.request.token?.claims ?? {};
  const now = Date.parse(exchange.startedAt) / 1000;
  const isOver = Number(exp) <= now + clocks.slowest - SKEW_SECONDS;
  if (isOver || Number(iat) > now + clocks.fastest + SKEW_SECONDS)
    note("/token/claims/exp", "its times do not fit the time at which it was sent");
}

/** The clocks that good tokens may follow, in seconds ahead of the suite's own: that one, and those of the answers. */
function clocksOf(exchanges: readonly Exchange[]): { slowest: number; fastest: number } {
  const ahead = exchanges.map(secondsAhead);
  return { slowest: Math.min(0, ...ahead), fastest: Math.max(0, ...ahead) };
}

/** The case that finds that no two tokens have the same `jti`. */
const TOKEN_ID = "authorization-server.claims/token-id";
/** Notes good token requests that are not those of their client, and tokens that were sent otherwise than they were issued. */
export async function checkIssued(context: ReplayContext, note: Note): Promise<void> {
  const { report, facts, exchanges } = context;
  const { clients = [] } = facts.authorizationServer ?? {};
  for (const [name, exchange] of exchanges) {
    const client = clientOf(exchange, clients);
    if (!client) continue;
    const where = `/exchanges/${pointerToken(name)}/request`;
    for (const what of await otherTokenParts(exchange, client, context))
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

/**
 * In what a good token request of a client is otherwise than a run composes it, as phrases. Where an endpoint or the redirect URI
 * is not recorded, any will do.
 */
async function otherTokenParts(
  exchange: Exchange,
  client: Client,
  context: ReplayContext,
): Promise<string[]> {
  const { url } = exchange.request;
  const anywhere = { authorization: url, token: url, mustPush: false, documents: [], missed: [] };
  const found: string[] = [];
  const { tokens } = recordedConnection(context, {
    exchangeOf(_name, request) {
      found.push(...serverDifferences(request, exchange));
      return exchange;
    },
    endpoints: async () => (await unlessMissing(context.ofServer.endpoints)) ?? anywhere,
    redirectUri: `http://127.0.0.1/${NOT_TOLD}`,
  });
  const asked = scopesAsked(exchange, client, context);
  // What the answer says is judged by rules.
  await unlessMissing(() => tokens.fresh(exchange.caseId, client, asked));
  return found;
}

/** The scopes of a good token request. Where tokens are issued for the receiver's rules, some ask for fewer. */
function scopesAsked(
  { request: { body } }: Exchange,
  { scopes }: Client,
  { facts: { authorizationServer: server, issued } }: ReplayContext,
): readonly Scope[] {
  const words = new URLSearchParams(body).get("scope")?.split(" ") ?? [];
  const asked = words.map((word) => scopes.filter((scope) => server?.scopes[scope] === word));
  return issued && asked.every((some) => some.length > 0) ? asked.flat() : scopes;
}

/** The client whose flow sent a good token request: the one with the longest name that fits. */
export function clientOf({ caseId }: Exchange, clients: readonly Client[]): Client | undefined {
  return clients
    .filter(({ name }) => caseId === `${TOKEN}${name}` || caseId.startsWith(controlId(`${name}-`)))
    .toSorted((a, b) => b.name.length - a.name.length)[0];
}
