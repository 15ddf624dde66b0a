import { type Scope, SCOPES } from "../../contract/operations.ts";
import type { HttpRequest } from "../../http/exchange.ts";
import type { InvalidMutation, UnspecifiedMutation, Patch } from "../mutation.ts";

/** Tokens that do not grant the scope that the operation requires. */

function lacking(name: string, what: string, claims: (required: Scope) => Patch): InvalidMutation {
  return {
    name,
    check: "scope",
    what,
    why: "scope must cover the operation: it is a list by spaces in which the required scope stands as it is",
    source: "contract, Receiver checks 5, Scopes, Token claims; RFC 6749 §3.3",
    claims: (_draft, { operation }) => claims(operation.scope),
  };
}

/** @param asked the scopes with which the same token is asked for */
function valued(
  name: string,
  what: string,
  scope: (required: Scope) => unknown,
  asked?: (required: Scope) => readonly Scope[],
): InvalidMutation {
  return {
    ...lacking(name, `\`scope\` ${what}`, (required) => ({ scope: scope(required) })),
    ...(asked && { asks: ({ operation }) => ({ scopes: asked(operation.scope) }) }),
  };
}

function others(required: Scope): Scope[] {
  return SCOPES.filter((scope) => scope !== required);
}

export const otherScopes: InvalidMutation = valued(
  "all-others",
  "grants every scope but the required one",
  (required) => others(required).join(" "),
  others,
);

/** `scope` that grants one scope alone, for operations that require another one. */
export const singleScopes: Readonly<Record<Scope, InvalidMutation>> = Object.fromEntries(
  SCOPES.map((scope) => [
    scope,
    valued(
      `only-${scope.replace(":", ".")}`,
      `grants ${scope} alone`,
      () => scope,
      () => [scope],
    ),
  ]),
) as Record<Scope, InvalidMutation>;

/** The commonest ways in which `scope` lists nothing that is of use, or something that only looks so. */
export const scopeGaps: readonly InvalidMutation[] = [
  valued("missing", "is not there", () => undefined),
  valued("null", "is null", () => null),
  valued("empty", "is an empty string", () => ""),
  valued("array-without", "is an array of the other scopes", (required) => others(required)),
  valued(
    "prefix",
    "grants a scope that begins like the required one",
    (required) => `${required}only`,
  ),
];

/** Scopes of others, other spellings, and where else than in the claim a receiver might look. */
export const scopeGuesses: readonly InvalidMutation[] = [
  valued("unrelated", "grants scopes of another service", () => "openid profile"),
  valued("suffix", "grants a scope that ends like the required one", (required) => `x${required}`),
  valued("upper-case", "grants the required scope in capitals", (required) =>
    required.toUpperCase(),
  ),
  elsewhere("scp", (required) => required),
  elsewhere("roles", (required) => [required]),
  requested("query", "the query asks for the scope that the token lacks", (request, required) => ({
    ...request,
    path: `${request.path}${request.path.includes("?") ? "&" : "?"}scope=${encodeURIComponent(required)}`,
  })),
];

/** What passes for the required scope where texts are compared in some careless way. */
export const scopeLookAlikes: readonly InvalidMutation[] = [
  valued(
    "substring",
    "holds the required scope inside a longer one",
    (required) => `x${required}only`,
  ),
  valued(
    "hyphenated",
    "grants the required scope with `-x` at its end",
    (required) => `${required}-x`,
  ),
  valued("narrower", "grants a part of the required scope", (required) => `${required}:own`),
  valued("shortened", "grants the required scope without its last letter", (required) =>
    required.slice(0, -1),
  ),
  valued(
    "resource-only",
    "grants what stands before the colon",
    (required) => required.split(":")[0],
  ),
  valued("action-only", "grants what stands after the colon", (required) => required.split(":")[1]),
  valued("dots", "has a dot for the colon", (required) => required.replace(":", ".")),
  valued("wildcard", "is an asterisk", () => "*"),
  valued("resource-wildcard", "has an asterisk after the colon", (required) =>
    required.replace(/:.*/, ":*"),
  ),
  ...Object.entries({ comma: ",", semicolon: ";", plus: "+", percent20: "%20" }).map(
    ([name, separator]) =>
      valued(`${name}-separated`, `is separated by \`${separator}\``, (required) =>
        [...others(required), required].join(separator),
      ),
  ),
];

/** `scope` of a kind that is no list. */
export const malformedScopes: readonly InvalidMutation[] = [
  valued("blanks", "is three blanks", () => "   "),
  valued("true", "is `true`", () => true),
  valued("number", "is a number", () => 1),
  valued("object", "is an object with a member of the right name", (required) => ({
    [required]: true,
  })),
];

/** The required scope where it is none of `scope`. */
export const scopesElsewhere: readonly InvalidMutation[] = [
  { ...elsewhere("scp", (required) => [required]), name: "in-scp-array" },
  elsewhere("scopes", (required) => [required]),
  elsewhere("permissions", (required) => [required]),
  elsewhere("authorities", (required) => [required]),
  requested("headers", "headers name the scope that the token lacks", (request, required) => ({
    ...request,
    headers: [
      ...request.headers,
      ...["scope", "x-scope", "x-scopes", "x-oauth-scopes", "x-auth-scopes", "x-user-scopes"].map(
        (name) => [name, required] as const,
      ),
    ],
  })),
];

/** For scopes with a dot: a pattern takes any character for it. */
export const regexDot: InvalidMutation = valued(
  "regex-dot",
  "has another character for the dot",
  (required) => required.replace(".", "X"),
);

function elsewhere(claim: string, value: (required: Scope) => unknown): InvalidMutation {
  return lacking(
    `in-${claim}`,
    `\`scope\` is not there, and \`${claim}\` grants the required one`,
    (required) => ({
      scope: undefined,
      [claim]: value(required),
    }),
  );
}

function requested(
  name: string,
  what: string,
  request: (request: HttpRequest, required: Scope) => HttpRequest,
): InvalidMutation {
  return {
    ...lacking(`requested-in-${name}`, what, (required) => ({ scope: others(required).join(" ") })),
    asks: ({ operation }) => ({ scopes: others(operation.scope) }),
    why: "the receiver reads scopes from the token",
    source: "contract, Model, Receiver checks 5",
    request: (plain, { operation }) => request(plain, operation.scope),
  };
}

/** Lists that hold the required scope, though not separated as the contract says. */
export const openScopes: readonly UnspecifiedMutation[] = [
  open("array-among", "is an array of all scopes", (required) => [...others(required), required]),
  open("double-spaced", "has two spaces between its scopes", joinedBy("  ")),
  open("tab-separated", "is separated by tabs", joinedBy("\t")),
  open("newline-separated", "is separated by newlines", joinedBy("\n")),
  open("nbsp-separated", "is separated by no-break spaces", joinedBy("\u00a0")),
];

function joinedBy(separator: string): (required: Scope) => string {
  return (required) => [...others(required), required].join(separator);
}

function open(
  name: string,
  what: string,
  scope: (required: Scope) => unknown,
): UnspecifiedMutation {
  return {
    name,
    what: `\`scope\` ${what}`,
    level: "OBSERVE",
    claims: (_draft, { operation }) => ({ scope: scope(operation.scope) }),
  };
}
