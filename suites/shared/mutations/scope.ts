import { type Scope, SCOPES } from "../../../src/contract/operations.ts";
import type { HttpRequest } from "../../../src/http/exchange.ts";
import type { JsonObject } from "../../../src/lib/json.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import {
  because,
  type InvalidMutation,
  type Mutation,
  open,
  type Patch,
  withToken,
} from "../../../src/mutations/mutation.ts";
import { asMember, PATTERNS } from "../../../src/mutations/near-misses.ts";
import { respelled } from "../../../src/mutations/request/separators.ts";

/** Tokens that do not grant the scope that the operation requires. */

function lacking(name: string, what: string, claims: (required: Scope) => Patch): InvalidMutation {
  return {
    name,
    what,
    refused: {
      check: "scope",
      why: "scope must cover the operation: it is a list separated by spaces that contains the required scope exactly",
      source: "contract, Receiver checks 5, Scopes, Token claims; RFC 6749 §3.3",
    },
    token: { claims: (_draft, { operation }) => claims(operation.scope) },
  };
}

/** @param asked the scopes to request where such a token is issued */
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

/** `scope` that grants one scope only, for operations that require another one. */
export function onlyScope(scope: Scope): InvalidMutation {
  return valued(
    `only-${scope.replace(":", ".")}`,
    `grants ${scope} alone`,
    () => scope,
    () => [scope],
  );
}

/** The most common ways in which `scope` grants nothing useful, or only seems to. */
export const scopeGaps: readonly InvalidMutation[] = [
  valued("missing", "is missing", () => undefined),
  valued("null", "is null", () => null),
  valued("empty", "is an empty string", () => ""),
  valued("array-without", "is an array of the other scopes", (required) => others(required)),
  valued(
    "prefix",
    "grants a scope that begins like the required one",
    (required) => `${required}only`,
  ),
];

/** Scopes of other services, other spellings, and other places where one might look for them. */
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
    path: addQuery(request.path, `scope=${encodeURIComponent(required)}`),
  })),
];

/** Values that pass for the required scope in a careless comparison. */
export const scopeLookAlikes: readonly InvalidMutation[] = [
  valued(
    "substring",
    "contains the required scope inside a longer one",
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
    "grants only the part before the colon",
    (required) => required.split(":")[0],
  ),
  valued(
    "action-only",
    "grants only the part after the colon",
    (required) => required.split(":")[1],
  ),
  valued(
    "other-service",
    "grants the scope of this name at another service, after the service's URL",
    (required) => `https://another-deployment.example/${required}`,
  ),
  valued(
    "privileged",
    "grants words that elsewhere stand for every scope, such as `admin`",
    (required) =>
      ["admin", "root", "superuser", "all", "full_access", "write"]
        .concat(["admin", "all", "manage"].map((word) => required.replace(/:.*/, `:${word}`)))
        .join(" "),
  ),
  valued("dots", "has a dot instead of the colon", (required) => required.replace(":", ".")),
  valued("wildcard", "is an asterisk", () => "*"),
  // Whether a word that stands for several scopes covers an operation, the contract does not say.
  {
    ...valued("resource-wildcard", "has an asterisk after the colon", (required) =>
      required.replace(/:.*/, ":*"),
    ),
    level: "OBSERVE",
  },
  valued("wildcards", "has asterisks in other places, as in `*:*`", (required) =>
    ["*:*", "**", required.replace(/.*:/, "*:"), required.replace(/\W.*/, ".*")].join(" "),
  ),
  ...Object.entries({ comma: ",", semicolon: ";", plus: "+", percent20: "%20" }).map(
    ([name, separator]) =>
      valued(`${name}-separated`, `is separated by \`${separator}\``, (required) =>
        [...others(required), required].join(separator),
      ),
  ),
];

/** Patterns that match the required scope. Asterisks are among the values above. */
export const scopePatterns: readonly InvalidMutation[] = PATTERNS.filter(
  ({ name }) => name !== "regex",
).map(({ name, what, value }) => valued(name, what, value));

/** `scope` of a type or content that is not a list. */
export const malformedScopes: readonly InvalidMutation[] = [
  valued("blanks", "is three spaces", () => "   "),
  valued("true", "is `true`", () => true),
  valued("number", "is a number", () => 1),
  valued("object", "is an object with a member of the right name", (required) => ({
    [required]: true,
  })),
  valued("object-value", "is an object whose members have the right value", asMember),
  valued("array-nested", "is an array of an array of the required scope", (required) => [
    [required],
  ]),
];

/** The required scope in another place than `scope`. */
export const scopesElsewhere: readonly InvalidMutation[] = [
  { ...elsewhere("scp", (required) => [required]), name: "in-scp-array" },
  elsewhere("scopes", (required) => [required]),
  elsewhere("permissions", (required) => [required]),
  elsewhere("authorities", (required) => [required]),
  elsewhere("groups", (required) => [required]),
  lacking(
    "admin-claims",
    "`scope` is missing, and `admin`, `role` and similar claims name an administrator",
    () => ({ scope: undefined, admin: true, is_admin: true, superuser: true, role: "admin" }),
  ),
  nested("realm_access", (roles) => roles),
  nested("resource_access", (roles, client) => ({ [client]: roles })),
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

/** The header fields among them under names that are written with underscores. */
export const respelledScopes: readonly InvalidMutation[] = scopesElsewhere
  .filter(({ name }) => name === "requested-in-headers")
  .flatMap(respelled);

/** For scopes with a dot, which a regular expression matches with any character. */
export const regexDot: InvalidMutation = valued(
  "regex-dot",
  "has another character instead of the dot",
  (required) => required.replace(".", "X"),
);

function elsewhere(claim: string, value: (required: Scope) => unknown): InvalidMutation {
  return lacking(
    `in-${claim}`,
    `\`scope\` is missing, and \`${claim}\` grants the required one`,
    (required) => ({
      scope: undefined,
      [claim]: value(required),
    }),
  );
}

/** A claim that holds roles as Keycloak writes them. */
function nested(
  claim: string,
  value: (roles: JsonObject, client: string) => JsonObject,
): InvalidMutation {
  return {
    ...withToken(
      elsewhere(claim, () => undefined),
      {
        claims: (_draft, { operation, target }) => ({
          scope: undefined,
          [claim]: value({ roles: [operation.scope] }, target.subject),
        }),
      },
    ),
    what: `\`scope\` is missing, and the roles in \`${claim}\` contain the required one`,
  };
}

function requested(
  name: string,
  what: string,
  request: (request: HttpRequest, required: Scope) => HttpRequest,
): InvalidMutation {
  return {
    ...because(
      lacking(`requested-in-${name}`, what, (required) => ({ scope: others(required).join(" ") })),
      {
        why: "the receiver reads scopes from the token",
        source: "contract, Model, Receiver checks 5",
      },
    ),
    asks: ({ operation }) => ({ scopes: others(operation.scope) }),
    request: (plain, { operation }) => request(plain, operation.scope),
  };
}

/** Lists that contain the required scope but are not separated as the contract says. */
export const openScopes: readonly Mutation[] = [
  openly("array-among", "is an array of all scopes", (all) => all),
  openly("double-spaced", "has two spaces between its scopes", (all) => all.join("  ")),
  openly("tab-separated", "is separated by tabs", (all) => all.join("\t")),
  openly("newline-separated", "is separated by newlines", (all) => all.join("\n")),
  openly("nbsp-separated", "is separated by no-break spaces", (all) => all.join("\u00a0")),
];

/** @param scope makes the claim from all scopes, the required one last */
function openly(name: string, what: string, scope: (all: readonly Scope[]) => unknown): Mutation {
  return open(name, `\`scope\` ${what}`, {
    token: {
      claims: (_draft, { operation: { scope: required } }) => ({
        scope: scope([...others(required), required]),
      }),
    },
  });
}
