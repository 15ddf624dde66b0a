import type { HttpRequest } from "../../http/exchange.ts";
import type { InvalidMutation } from "../mutation.ts";
import { noCredentials } from "../token/credentials.ts";

/**
 * Requests without a token that a guard may not recognise as what the router takes them for. They are
 * not exactly routes of the contract, so any answer is fine that does not show the organization.
 */

function tokenless(
  name: string,
  what: string,
  request: (spec: HttpRequest, origin: string) => HttpRequest,
): InvalidMutation {
  return {
    ...noCredentials,
    name,
    what: `no Authorization header, ${what}`,
    request: (spec, { target }) => request(spec, target.origin),
  };
}

function path(name: string, what: string, rewrite: (path: string) => string): InvalidMutation {
  return tokenless(`path-${name}`, what, (spec) => ({ ...spec, path: rewrite(spec.path) }));
}

/** Spellings that the most common routers treat as the same path. */
export const plainPaths: readonly InvalidMutation[] = [
  path("trailing-slash", "the path ends in a slash", (text) => `${text}/`),
  path("upper-case", "the path has /ORGS", (text) => text.replace("/orgs", "/ORGS")),
];

export const oddPaths: readonly InvalidMutation[] = [
  path("doubled-slash", "two slashes in the path", (text) => text.replace("/orgs", "//orgs")),
  path("leading-slash", "two slashes before the path", (text) => `/${text}`),
  path("parameter", "the path has a parameter, `;x`", (text) => `${text};x`),
  path("extension", "the path ends in .json", (text) => `${text}.json`),
  path("encoded", "a letter of the path is encoded", (text) => text.replace("/orgs", "/%6Frgs")),
  path("dot", "the path has a segment `.`", (text) => text.replace("/orgs", "/./orgs")),
  path("public", "the path goes through /health and back", (text) =>
    text.replace("/orgs", "/health/../orgs"),
  ),
  path("static", "the query ends in .css", (text) => `${text}?conformance=.css`),
  path(
    "words",
    "the query contains /health, /login and other public paths",
    (text) => `${text}?conformance=/health/login/public/swagger-ui/`,
  ),
  tokenless("path-absolute", "the target is a whole URL, RFC 9112 §3.2.2", (spec, origin) => ({
    ...spec,
    path: origin + spec.path,
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

const OVERRIDES = ["x-http-method-override", "x-http-method", "x-method-override"];

function overridden(name: string, sent: string | undefined, meant: string): InvalidMutation {
  return tokenless(name, `and the method overridden with ${meant}`, (spec) => ({
    ...spec,
    method: sent ?? spec.method,
    headers: [...spec.headers, ...OVERRIDES.map((header) => [header, meant] as const)],
  }));
}

/**
 * Deceives a guard that checks some methods only, in front of a router that reads the method from a
 * header; or the reverse.
 */
export const overriddenRead: InvalidMutation = overridden("override-options", undefined, "OPTIONS");
export const overriddenPost: InvalidMutation = overridden("override-get", "POST", "GET");
export const overriddenWrite: InvalidMutation = overridden("override-write", "POST", "PATCH");
