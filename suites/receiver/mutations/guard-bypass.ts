import type { HttpRequest } from "../../../src/http/exchange.ts";
import type { InvalidMutation, Mutation } from "../../../src/mutations/mutation.ts";
import { respelled } from "../../../src/mutations/request/separators.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";

/**
 * Requests that a guard may not recognise as what the router takes them for, most of them without a token. They are
 * not exactly routes of the contract, so any answer is fine that does not show the organization.
 */

function tokenless(
  name: string,
  what: string,
  request: NonNullable<Mutation["request"]>,
): InvalidMutation {
  return { ...noCredentials, name, what: `no Authorization header, ${what}`, request };
}

/** The path is spelled in another way. */
interface Respelling extends Mutation {
  readonly request: NonNullable<Mutation["request"]>;
}

function path(name: string, what: string, rewrite: (path: string) => string): Respelling {
  return {
    name: `path-${name}`,
    what,
    request: (spec) => ({ ...spec, path: rewrite(spec.path) }),
  };
}

function withoutToken({ name, what, request }: Respelling): InvalidMutation {
  return tokenless(name, what, request);
}

const trailingSlash = path("trailing-slash", "the path ends in a slash", (text) => `${text}/`);
const upperCase = path("upper-case", "the path has /ORGS", (text) =>
  text.replace("/orgs", "/ORGS"),
);
const doubledSlash = path("doubled-slash", "two slashes in the path", (text) =>
  text.replace("/orgs", "//orgs"),
);
const parameter = path("parameter", "the path has a parameter, `;x`", (text) => `${text};x`);
const encoded = path("encoded", "a letter of the path is encoded", (text) =>
  text.replace("/orgs", "/%6Frgs"),
);
const dot = path("dot", "the path has a segment `.`", (text) => text.replace("/orgs", "/./orgs"));

/**
 * Spellings that a gateway, which verifies tokens, may not recognise, and that the service behind it serves. Such a service
 * reads the token without verifying it again, so a request without a token shows nothing of it.
 */
export const respelledPaths: readonly Mutation[] = [
  upperCase,
  doubledSlash,
  parameter,
  encoded,
  dot,
];

/** Spellings that the most common routers treat as the same path. */
export const plainPaths: readonly InvalidMutation[] = [trailingSlash, upperCase].map(withoutToken);

export const oddPaths: readonly InvalidMutation[] = [
  ...[
    doubledSlash,
    path("leading-slash", "two slashes before the path", (text) => `/${text}`),
    parameter,
    path("extension", "the path ends in .json", (text) => `${text}.json`),
    encoded,
    dot,
    path("public", "the path goes through /health and back", (text) =>
      text.replace("/orgs", "/health/../orgs"),
    ),
    path("static", "the query ends in .css", (text) => `${text}?conformance=.css`),
    path(
      "words",
      "the query contains /health, /login and other public paths",
      (text) => `${text}?conformance=/health/login/public/swagger-ui/`,
    ),
  ].map(withoutToken),
  tokenless("path-absolute", "the target is a whole URL, RFC 9112 §3.2.2", (spec, { target }) => ({
    ...spec,
    path: target.origin + spec.path,
  })),
];

/** A guard that knows preflights by their headers alone takes this for one. */
export const preflightHeaders: InvalidMutation = tokenless(
  "preflight-headers",
  "and the headers of a CORS preflight",
  (spec) => ({
    ...spec,
    headers: [
      ...spec.headers,
      ["origin", "https://conformance.example"],
      ["access-control-request-method", spec.method],
    ],
  }),
);

/** The headers, and how each spells the method: a guard may know one spelling, and a router both. */
const OVERRIDES: readonly (readonly [string, (method: string) => string])[] = [
  ["x-http-method-override", (method) => method],
  ["x-http-method", (method) => method],
  ["x-method-override", (method) => method.toLowerCase()],
];

/** The request with headers that override its method. */
export function withOverride(spec: HttpRequest, method: string): HttpRequest {
  return {
    ...spec,
    headers: [
      ...spec.headers,
      ...OVERRIDES.map(([header, spell]) => [header, spell(method)] as const),
    ],
  };
}

function overridden(name: string, sent: string | undefined, meant: string): InvalidMutation {
  return tokenless(name, `and the method overridden with ${meant}`, (spec) =>
    withOverride({ ...spec, method: sent ?? spec.method }, meant),
  );
}

/**
 * Deceives a guard that checks some methods only, in front of a router that reads the method from a
 * header; or the reverse.
 */
export const overriddenRead: InvalidMutation = overridden("override-options", undefined, "OPTIONS");
export const overriddenPost: InvalidMutation = overridden("override-get", "POST", "GET");
export const overriddenWrite: InvalidMutation = overridden("override-write", "POST", "PATCH");

/** Overrides under names of headers that are written with underscores. */
export const respelledOverrideOfRead: readonly InvalidMutation[] = respelled(overriddenRead);
export const respelledOverrideOfPost: readonly InvalidMutation[] = respelled(overriddenPost);
export const respelledOverrideOfWrite: readonly InvalidMutation[] = respelled(overriddenWrite);
