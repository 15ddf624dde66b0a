import type { Exchange, HttpRequest } from "../http/exchange.ts";
import { mapTexts } from "../lib/json.ts";
import type { Mutation, MutationContext } from "../mutations/mutation.ts";
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
/** A longer body may be cut in the record. */
const LONGEST_BODY = 4000;

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
  if (!change && !authorization) return;
  const { target } = context;
  const added = new Set([
    "accept",
    ...OF_EACH_REQUEST,
    ...Object.keys(target.request.headers).map((name) => name.toLowerCase()),
  ]);
  const plain = plainRequest(control, target, added);
  const make = (token: string): HttpRequest | undefined => {
    const presented = authorization?.(token) ?? [`Bearer ${token}`];
    const spec: HttpRequest = {
      ...plain,
      headers: [
        ...plain.headers,
        ...presented.map((value): [string, string] => ["authorization", value]),
      ],
    };
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
  const [wanted, twin] = [fieldsOf(made, added), fieldsOf(again, added)];
  const fields = fieldsOf(sent, added);
  for (const name of new Set([...wanted.keys(), ...fields.keys()])) {
    const value = wanted.get(name);
    if (value !== twin.get(name)) continue;
    if (!isSameText(fields.get(name), value)) told(`field ${name}`);
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

/** The fields by name in lower case. Credentials are not compared: only their scheme is recorded. */
function fieldsOf({ headers }: HttpRequest, added: ReadonlySet<string>): Map<string, string> {
  const fields = new Map<string, string>();
  for (const [name, value] of headers) {
    const key = name.toLowerCase();
    if (added.has(key) || key === "authorization" || /cookie/.test(key)) continue;
    const before = fields.get(key);
    fields.set(key, withoutUnique(before === undefined ? value : `${before} | ${value}`));
  }
  return fields;
}

function withoutUnique(text: string): string {
  return text.replaceAll(/conformance-[\da-f]{18}/g, "");
}
