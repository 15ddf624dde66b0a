import { isObject, parseJson } from "../../lib/json.ts";
import type { HttpRequest } from "../exchange.ts";

/** Names of secret members in forms, queries and JSON: RFC 6749, 6750, 7521, 7636 and 9126, OpenID Connect. */
const SECRET_NAMES = [
  "access_token",
  "assertion",
  "client_assertion",
  "client_secret",
  "code",
  "code_verifier",
  "id_token",
  "password",
  "refresh_token",
  "request_uri",
] as const;

/** Shorter than any signature. A shorter text may be an ordinary word. */
const SHORTEST_TOKEN = 20;

/** The characters of a body that presents credentials. */
const LONGEST_BODY = 128 * 1024;
/** The shortest part of a credential that is itself worth hiding. */
const SHORTEST_PART = 8;

/**
 * The credentials that a request presents, right or wrong: those of its `Authorization` and `Cookie` fields, and the
 * secret members of its query and body, in each form in which an answer may repeat them.
 */
export function credentialsIn({
  path,
  headers,
  body = "",
}: Pick<HttpRequest, "path" | "headers" | "body">): string[] {
  const fields = headers.flatMap(([name, value]) => {
    if (/authorization/i.test(name)) return [...tokenParts(value), ...basicParts(value)];
    return /cookie/i.test(name) ? cookieValues(value).flatMap(longParts) : [];
  });
  return [...fields, ...secretMembers(path.split("?").slice(1).join("?")), ...secretMembers(body)];
}

/** The secret members of JSON, or of a form or query. */
export function secretMembers(text: string): string[] {
  // A long body is no credential, and takes long to parse.
  if (text === "" || text.length > LONGEST_BODY) return [];
  // A form is no JSON, and finding that out takes long.
  const json = /^[\s\uFEFF]*\{/.test(text) ? parseJson(text) : undefined;
  const values = isObject(json)
    ? SECRET_NAMES.map((name) => json[name]).filter((value) => typeof value === "string")
    : fromForm(new URLSearchParams(text));
  return values.flatMap((value) => [value, ...tokenParts(value)]);
}

function fromForm(form: URLSearchParams): string[] {
  return SECRET_NAMES.flatMap((name) => form.getAll(name));
}

/** The tokens in a text, and their signatures. Both are secret. */
export function tokenParts(text: string): string[] {
  return text
    .split(/\s+/)
    .flatMap((token) => [token, token.slice(token.lastIndexOf(".") + 1)])
    .filter(({ length }) => length >= SHORTEST_TOKEN);
}

/** The values of `name=value; name=value`, RFC 6265 section 4.2. Names are no secrets. */
function cookieValues(text: string): string[] {
  return text.split(";").map((pair) => pair.slice(pair.indexOf("=") + 1));
}

/** The parts of a header value that are worth hiding: `Basic dXNlcjpwYXNz`, `a=…; b=…`. */
export function worthyParts(value: string): string[] {
  return [...longParts(value), ...basicParts(value)];
}

/** What HTTP Basic transmits: the pair, its password, and the password as RFC 6749 section 2.3.1 means it. */
function basicParts(value: string): string[] {
  const encoded = /^Basic +(\S+)$/i.exec(value)?.[1];
  if (encoded === undefined) return [];
  const pair = Buffer.from(encoded, "base64").toString("utf8");
  // Later colons belong to the password, RFC 7617 section 2.
  const password = pair.slice(pair.indexOf(":") + 1);
  const parts = password.split(":").filter(({ length }) => length >= SHORTEST_PART);
  return [encoded, pair, password, formDecoded(password), ...parts];
}

function formDecoded(text: string): string {
  return new URLSearchParams(`v=${text.replaceAll("&", "%26")}`).get("v") ?? "";
}

function longParts(value: string): string[] {
  return value.split(/[\s;,]+|(?<=\w)=(?=\w)/).filter(({ length }) => length >= SHORTEST_PART);
}
