import type { ParameterChange } from "../../../src/authorization-server/protocol/authorization-request.ts";
import { isSamePlace } from "../../../src/authorization-server/protocol/front-channel.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import {
  atOtherPath,
  atStranger,
  elsewhere,
  exactly,
  leadsTo,
  leaving,
  NEIGHBOUR,
  open,
  OTHER_PATH,
  STRANGER,
  twice,
  withError,
  type RedirectChange,
} from "./redirect-change.ts";

/** Parameters of an authorization response, RFC 6749 sections 4.1.2 and 4.1.2.1. */
const RESPONSE_PARAMETERS = ["code", "error", "state"];

/** The redirect URIs that a server must not redirect to, in the order of the cases. */
export const REDIRECT_CHANGES: readonly RedirectChange[] = [
  elsewhere("other-host", "another host than the registered one", atStranger, {
    every: true,
    neighbour: ({ port, pathname }) => `http://${NEIGHBOUR}:${port}${pathname}`,
  }),
  elsewhere(
    "longer-host",
    "a host that begins like the registered one",
    ({ hostname, pathname }) => `http://${hostname}.${STRANGER}${pathname}`,
    {
      // Only an address can be continued to another one of the loopback network.
      neighbour: ({ hostname, port, pathname }) =>
        hostname === "127.0.0.1" ? `http://${hostname}9:${port}${pathname}` : undefined,
    },
  ),
  elsewhere(
    "userinfo",
    "a host with the registered one as its user name",
    ({ protocol, hostname, pathname }) => `${protocol}//${hostname}:80@${STRANGER}${pathname}`,
    {
      neighbour: ({ protocol, hostname, port, pathname }) =>
        `${protocol}//${hostname}:80@${NEIGHBOUR}:${port}${pathname}`,
    },
  ),
  elsewhere(
    "backslash",
    "a host that a backslash separates from the registered one",
    // To some parsers what precedes the `@` is a user name, and to a browser the backslash ends the host.
    ({ protocol, host, pathname }) => `${protocol}//${STRANGER}\\@${host}${pathname}`,
    {
      grounds: { source: "RFC 6749 section 4.1.2.1, WHATWG URL section 4.4" },
      neighbour: ({ protocol, host, port, pathname }) =>
        `${protocol}//${NEIGHBOUR}:${port}\\@${host}${pathname}`,
    },
  ),
  elsewhere("other-path", "another path than the registered one", atOtherPath),
  elsewhere(
    "longer-path",
    "a path below the registered one",
    ({ origin, pathname }) => `${origin}${pathname}${OTHER_PATH}`,
    // Whoever takes any path takes this one, and so does whoever takes a beginning, for one client too.
    { every: true },
  ),
  elsewhere(
    "shorter-path",
    "the path above the registered one",
    ({ origin, pathname }) => origin + above(pathname),
    {
      change: ({ origin, pathname }) => differing(origin, pathname, above(pathname)),
      // A server on the same host may send people to its own front page after an error.
      isWrong: (to, { origin, pathname }) =>
        isSamePlace(to, new URL(origin + above(pathname))) &&
        RESPONSE_PARAMETERS.some((name) => to.searchParams.has(name)),
    },
  ),
  leaving("traversal", "by `..`", ".."),
  leaving("traversal-parameter", "by `..;`", "..;"),
  leaving("traversal-encoded", "by `%2e%2e`", "%2e%2e"),
  leaving("traversal-encoded-twice", "by `%252e%252e`", "%252e%252e"),
  elsewhere(
    "javascript",
    "a URI of the scheme `javascript`",
    ({ host, pathname }) => `javascript://${host}${pathname}`,
    {
      isWrong: ({ protocol }) => protocol === "javascript:",
      grounds: { source: "RFC 6749 section 4.1.2.1, better-auth#9838" },
    },
  ),
  elsewhere("data", "a URI of the scheme `data`", () => "data:text/html,conformance", {
    isWrong: ({ protocol }) => protocol === "data:",
  }),
  withError("error-scope", "an unknown scope", { scope: "conformance" }),
  withError("error-challenge", "a missing challenge", {
    code_challenge: undefined,
    code_challenge_method: undefined,
  }),
  withError("error-method", "an unknown PKCE method", { code_challenge_method: "S257" }),
  withError("error-mode", "an unknown response_mode", { response_mode: "conformance" }),
  withError("error-prompt", "a login that `prompt=none` forbids", { prompt: "none" }),
  {
    id: "error-denied",
    title: "The server does not send the error for a refused consent to another path",
    change: (registered) => ({ redirect_uri: atOtherPath(registered) }),
    isWrong: leadsTo(atOtherPath),
    refuses: true,
    grounds: { why: "the server would send people to any page that an attacker names" },
  },
  twice(
    "twice-wrong-last",
    "The second of two redirect URIs is not used if it is not registered",
    (good, bad) => [good, bad],
  ),
  twice(
    "twice-wrong-first",
    "The first of two redirect URIs is not used if it is not registered",
    (good, bad) => [bad, good],
  ),
  elsewhere(
    "scheme",
    "the registered URI under https in place of http",
    ({ href }) => href.replace(/^http:/, "https:"),
    exactly,
  ),
  elsewhere(
    "query",
    "the registered URI with an added query",
    ({ href }) => addQuery(href, "conformance=1"),
    {
      ...exactly,
      grounds: { ...exactly.grounds, source: "RFC 9700 section 2.1, CVE-2020-15233" },
      isWrong: (to) => to.searchParams.has("conformance"),
    },
  ),
  elsewhere(
    "query-code",
    "the registered URI with an added code",
    ({ href }) => addQuery(href, "code=conformance"),
    {
      ...exactly,
      isWrong: (to) => to.searchParams.getAll("code").includes("conformance"),
    },
  ),
  elsewhere("fragment", "the registered URI with a fragment", ({ href }) => `${href}#conformance`, {
    ...exactly,
    grounds: { ...exactly.grounds, source: "RFC 6749 section 3.1.2" },
    isWrong: (to) => to.hash.includes("conformance"),
  }),
  elsewhere(
    "case",
    "the registered path in capitals",
    ({ origin, pathname }) => origin + pathname.toUpperCase(),
    {
      ...exactly,
      change: ({ origin, pathname }) => differing(origin, pathname, pathname.toUpperCase()),
    },
  ),
  elsewhere(
    "slash",
    "the registered path with a slash at its end",
    ({ origin, pathname }) => `${origin}${pathname}/`,
    exactly,
  ),
  elsewhere(
    "encoded",
    "the registered path with a letter percent-encoded",
    ({ origin, pathname }) => origin + encodedLetter(pathname),
    {
      ...exactly,
      grounds: { ...exactly.grounds, source: "RFC 9700 section 2.1, CVE-2020-15234" },
      change: ({ origin, pathname }) => differing(origin, pathname, encodedLetter(pathname)),
    },
  ),
  {
    ...open,
    id: "host-case",
    title: "What the server does with the registered host in capitals",
    grounds: { ...open.grounds, source: "RFC 3986 section 6.2.2.1" },
    change: ({ protocol, host, pathname }) =>
      /[a-z]/.test(host)
        ? { redirect_uri: `${protocol}//${host.toUpperCase()}${pathname}` }
        : undefined,
  },
  {
    ...open,
    id: "localhost",
    title: "Whether the server treats localhost and the loopback address as equal",
    grounds: { ...open.grounds, source: "RFC 8252 section 8.3" },
    requirement: "rfc8252.loopback",
    change: ({ hostname, port, pathname }) => ({
      redirect_uri: `http://${hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}${pathname}`,
    }),
  },
  {
    ...open,
    id: "other-port",
    title: "What the server does with another loopback port than the registered one",
    grounds: { ...open.grounds, source: "RFC 8252 section 7.3" },
    requirement: "rfc8252.loopback",
    change: ({ hostname, port, pathname }) => ({
      redirect_uri: `http://${hostname}:${port === "9" ? "10" : "9"}${pathname}`,
    }),
  },
  {
    ...open,
    id: "missing",
    title: "What the server does with a request without a redirect URI",
    grounds: { ...open.grounds, source: "RFC 6749 section 3.1.2.3" },
    change: () => ({ redirect_uri: undefined }),
  },
  {
    id: "unknown-client",
    title: "The server does not redirect for a client that is not registered",
    change: () => ({ client_id: "conformance-is-not-registered" }),
    isWrong: isSamePlace,
    changesClient: true,
    neighbour: ({ href }) => href,
  },
  {
    id: "missing-client",
    title: "The server does not redirect for a request that names no client",
    change: () => ({ client_id: undefined }),
    isWrong: isSamePlace,
    changesClient: true,
    neighbour: ({ href }) => href,
  },
];

/** A change whose redirect is seen behind a login, and where; `undefined` where it cannot be. */
export function seenBehindLogin(
  { change, neighbour }: RedirectChange,
  registered: URL,
): { readonly change: ParameterChange; readonly at: string } | undefined {
  const plain = change(registered);
  const asked = plain?.["redirect_uri"];
  const uri = neighbour ? neighbour(registered) : asked;
  if (!plain || typeof uri !== "string") return undefined;
  const { origin, pathname } = new URL(uri);
  if (!neighbour && origin !== registered.origin) return undefined;
  // Of two redirect URIs, and for another client, the change leads to the suite's own listener already.
  return {
    change: typeof asked === "string" ? { redirect_uri: uri } : plain,
    at: origin + pathname,
  };
}

/** The path without its last segment; `/` for the root. */
function above(pathname: string): string {
  return pathname.slice(0, pathname.replace(/\/$/, "").lastIndexOf("/")) || "/";
}

function encodedLetter(pathname: string): string {
  return pathname.replace(/[a-z]/i, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`);
}

/** The path in another spelling; `undefined` where that is the same. */
function differing(origin: string, pathname: string, other: string): ParameterChange | undefined {
  return other === pathname ? undefined : { redirect_uri: origin + other };
}
