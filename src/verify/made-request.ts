import { isDeepStrictEqual } from "node:util";

import { TIME_CLAIMS } from "../contract/claims.ts";
import { SCOPES } from "../contract/operations.ts";
import { UUIDS } from "../contract/uuid.ts";
import type { Exchange, HttpRequest } from "../http/exchange.ts";
import { type JsonObject, mapTexts } from "../lib/json.ts";
import {
  type Mutation,
  type MutationContext,
  type Patch,
  patchFor,
} from "../mutations/mutation.ts";
import { present } from "../probe/compose.ts";
import { buildRequest, type PathParams } from "../probe/request.ts";
import type { Facts } from "../profile/facts.ts";
import { base64url, compact } from "../tokens/compact.ts";
import { isSameText, type Note } from "./verification.ts";

/** Stands for the token, which is not recorded. */
const TOKEN = "token.of.request";
/** Two tokens with different claims: what differs between requests with them is made of claims, which may not be recorded. */
const TOKENS = [{}, { sub: "another" }].map((claims) =>
  compact({
    header: base64url(JSON.stringify({ alg: "RS256" })),
    payload: base64url(JSON.stringify(claims)),
    signature: base64url("signature"),
  }),
);
/** The header fields that differ between any two requests, because they are added when a request is sent; in lower case. */
export const OF_EACH_REQUEST: ReadonlySet<string> = new Set([
  "conformance-case",
  "user-agent",
  "if-match",
  "if-unmodified-since",
]);
/** The claims that differ between any two tokens of one issuer. */
export const OF_EACH_TOKEN: ReadonlySet<string> = new Set([
  ...TIME_CLAIMS,
  "jti",
  "auth_time",
  "sid",
]);
/** A longer field may be cut in the record. */
const LONGEST_FIELD = 200;
/** A longer body may be cut in the record. */
export const LONGEST_BODY = 4000;

/**
 * Makes the request of a mutation again, of the control's request, and notes parts of the probe's request that are made
 * otherwise. Parts that are random, or made of the token's claims, are left out.
 */
export function checkMadeRequest(
  control: Exchange,
  probe: Exchange,
  { request: change, authorization }: Mutation,
  context: MutationContext,
  note: Note,
): void {
  const { target } = context;
  const added = new Set([
    "accept",
    ...OF_EACH_REQUEST,
    ...Object.keys(target.request.headers).map((name) => name.toLowerCase()),
  ]);
  const plain = plainRequest(control, target, added);
  const make = (token: string): HttpRequest | undefined => {
    const spec = present(plain, authorization?.(token) ?? [`Bearer ${token}`]);
    try {
      const request = change ? change(spec, context, token) : spec;
      return mapTexts(request, (text) => text.replaceAll(token, TOKEN)) as HttpRequest;
    } catch {
      // It needs a body of the profile, which is not recorded.
      return undefined;
    }
  };
  const [made, again] = TOKENS.map(make);
  if (!made || !again) return;
  const sent = plainRequest(probe, target, added);
  const told = (part: string): void =>
    note("/request", `the mutation of this case makes another ${part}`);
  if (made.method !== sent.method) told("method");
  if (made.path === again.path && !isSameText(sent.path, made.path)) told("path");
  const body = made.body ?? "";
  if (body === (again.body ?? "") && body.length <= LONGEST_BODY) {
    if (!isSameText(withoutUnique(sent.body ?? ""), withoutUnique(body))) told("body");
  }
  const [wanted, twin] = [fieldsOf(made, withoutIds), fieldsOf(again, withoutIds)];
  const fields = fieldsOf(sent, withoutIds);
  for (const name of new Set([...wanted.keys(), ...fields.keys()])) {
    // Of credentials only the scheme is recorded.
    if (added.has(name) || name === "authorization" || /cookie/.test(name)) continue;
    const value = wanted.get(name);
    if (value !== twin.get(name) || (value ?? "").length > LONGEST_FIELD) continue;
    if (!isSameText(fields.get(name), value)) told(`field ${name}`);
  }
}

/** A control as the same good request for another place. */
export function goodAt(
  control: Exchange,
  place: PathParams,
  { target, operation }: MutationContext,
): Exchange {
  const { path } = buildRequest(target, operation, place).spec;
  return { ...control, request: { ...control.request, url: target.origin + path } };
}

/**
 * What a mutation makes otherwise than it is recorded, as phrases. Where the suite signs tokens, their members are compared too, but for
 * those that the mutation makes and those that differ between any two tokens.
 */
export function differencesFromMade(
  control: Exchange,
  probe: Exchange,
  mutation: Mutation,
  context: MutationContext,
): string[] {
  const found: string[] = [];
  checkMadeRequest(control, probe, mutation, context, (_, what) => found.push(what));
  if (!context.target.issued) found.push(...otherMembers(control, probe, mutation, context));
  return found;
}

/**
 * The members in which the good tokens of two operations, or of a bound and an unbound one, may differ, because each deployment
 * accepts forms of its own; see `TokenForm`.
 */
function isOfForm(name: string, value: unknown, { bindingClaim }: Facts): boolean {
  if (name === "typ" || name === "client_id" || name === bindingClaim) return true;
  const words = name === "scope" && typeof value === "string" ? value.split(" ") : [];
  return words.length > 0 && words.every((word) => SCOPES.some((scope) => scope === word));
}

function otherMembers(
  control: Exchange,
  probe: Exchange,
  mutation: Mutation,
  context: MutationContext,
): string[] {
  const { token: change = {} } = mutation;
  if (change.text || change.headerText || change.payload) return [];
  const good = draftOf(control, mutation, context);
  return (["header", "claims"] as const).flatMap((part) => {
    const sent = probe.request.token?.[part];
    const patch = patchOf(change[part], good, context);
    if (!sent || !patch) return [];
    const own: JsonObject = good[part];
    return [...new Set([...Object.keys(own), ...Object.keys(sent)])]
      .filter((name) => !(name in patch) && !OF_EACH_TOKEN.has(name))
      .filter((name) => !isOfForm(name, sent[name], context.target))
      .filter((name) => !isDeepStrictEqual(own[name], sent[name]))
      .map((name) => `the mutation of this case makes another ${part} member ${name}`);
  });
}

/** Whether the members that a mutation gives a token are those of the probe's. Times are not compared. */
export function hasMadeMembers(
  control: Exchange,
  { request: { token: sent } }: Exchange,
  mutation: Mutation,
  context: MutationContext,
): boolean {
  const good = draftOf(control, mutation, context);
  return (["header", "claims"] as const).every((part) => {
    const patch = patchOf(mutation.token?.[part], good, context);
    return Object.entries(patch ?? {}).every(
      ([name, value]) =>
        OF_EACH_TOKEN.has(name) || JSON.stringify(sent?.[part]?.[name]) === JSON.stringify(value),
    );
  });
}

/** The control's token as a mutation gets it, with the key by which the mutation signs. */
function draftOf(
  { request: { token } }: Exchange,
  { token: change }: Mutation,
  { target }: MutationContext,
): Parameters<typeof patchFor>[1] {
  const key = change?.key?.(target) ?? target.testIssuer.key;
  const { header, claims = {} } = token ?? {};
  return {
    header: { ...header, alg: key.alg, kid: key.kid, ...target.testIssuer.header },
    claims,
    key,
  };
}

/** The patch for a token; `undefined` where it is made of what is not recorded. */
function patchOf(...made: Parameters<typeof patchFor>): Patch | undefined {
  try {
    return patchFor(...made);
  } catch {
    return undefined;
  }
}

function plainRequest(
  { request: { method, url, headers, body } }: Exchange,
  { origin }: Facts,
  added: ReadonlySet<string>,
): HttpRequest {
  return {
    method,
    path: url.startsWith(origin) ? url.slice(origin.length) : url,
    headers: headers.filter(
      ([name]) => !added.has(name.toLowerCase()) && name.toLowerCase() !== "authorization",
    ),
    ...(body !== undefined && { body }),
  };
}

/**
 * The fields of a request by name in lower case, those with one name joined.
 * @param plain removes what differs between any two requests from a value
 */
export function fieldsOf(
  { headers }: Pick<HttpRequest, "headers">,
  plain: (value: string) => string,
): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    const before = fields.get(key);
    fields.set(key, plain(before === undefined ? value : `${before} | ${value}`));
  }
  return fields;
}

function withoutUnique(text: string): string {
  return text.replaceAll(/conformance-[\da-f]{18}/g, "");
}

/** A field without ids that are drawn anew in each run. */
function withoutIds(value: string): string {
  return withoutUnique(value).replaceAll(UUIDS, "");
}
