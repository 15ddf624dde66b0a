import type { AuthorizationChange } from "./authorization-request.ts";
import { isSamePlace } from "./front-channel.ts";

type Uri = (registered: URL) => string | undefined;

/** Another host, whose name the suite can listen at: any other address of the loopback network. */
const NEIGHBOUR = "127.0.0.2";

/** A redirect URI that is not the registered one. */
export interface RedirectChange {
  readonly id: string;
  readonly title: string;
  /** Whether it is judged for every client, because each has its own registration. Default: for the first. */
  readonly every?: boolean;
  /** Default: MUST. RFC 6749 requires exact comparison only for URIs that are registered in full. */
  readonly level?: "SHOULD" | "OBSERVE";
  readonly source?: string;
  readonly requirement?: string;
  readonly why?: string;
  /**
   * The changes to the authorization request; `undefined` where they do not apply to the registered
   * URI.
   */
  readonly change: (registered: URL) => AuthorizationChange | undefined;
  /** Whether a redirect went to a URL that must not be reached. */
  readonly isWrong: (to: URL, registered: URL) => boolean;
  /** Whether it changes the client, which a pushed request names by its credentials too. Default: false. */
  readonly changesClient?: boolean;
  /**
   * Where the suite listens for a server that refuses after the login only. Default: at the URI of the change,
   * if it is on the registered host; see `seenBehindLogin`.
   */
  readonly neighbour?: Uri;
}

/** A path that no registration includes, unless its pattern matches everything. */
export const OTHER_PATH = "/conformance-is-not-registered";

/** A host in `.invalid`, where nothing can listen (RFC 6761). The suite never requests its URLs. */
const STRANGER = "conformance.invalid";

/** A change of host, path or scheme. */
function elsewhere(
  id: string,
  title: string,
  uri: (registered: URL) => string,
  more: Partial<RedirectChange> = {},
): RedirectChange {
  return {
    id,
    title,
    change: (registered) => ({ redirect_uri: uri(registered) }),
    isWrong: (to, registered) => isSamePlace(to, new URL(uri(registered))),
    ...more,
  };
}

const exactly = {
  level: "SHOULD",
  source: "RFC 9700 section 2.1",
  requirement: "rfc9700.redirect-exact",
  why: "a URI that is compared loosely lets an attacker choose where the code goes",
} as const;

const open = { level: "OBSERVE", why: "", isWrong: () => false } as const;

function atOtherPath({ origin }: URL): string {
  return origin + OTHER_PATH;
}

/**
 * A good and a bad URI in one request. Whichever the server takes, it must not redirect to the bad
 * one.
 */
function twice(
  id: string,
  title: string,
  inOrder: (good: string, bad: string) => string[],
): RedirectChange {
  return {
    ...elsewhere(id, title, atOtherPath, { neighbour: atOtherPath }),
    change: (registered) => ({ redirect_uri: inOrder(registered.href, atOtherPath(registered)) }),
    source: "RFC 6749 sections 3.1 and 4.1.2.1",
  };
}

/** A path that leaves the registered one. */
function leaving(id: string, what: string, step: string): RedirectChange {
  const title = `The server does not redirect to a path that leaves the registered one, ${what}`;
  const uri = ({ origin, pathname }: URL): string => `${origin}${pathname}/${step}${OTHER_PATH}`;
  return elsewhere(id, title, uri, {
    source: "RFC 6749 section 4.1.2.1, CVE-2024-1132, CVE-2026-3872",
  });
}

export const REDIRECT_CHANGES: readonly RedirectChange[] = [
  elsewhere(
    "other-host",
    "The server does not redirect to another host than the registered one",
    ({ pathname }) => `https://${STRANGER}${pathname}`,
    { every: true, neighbour: ({ port, pathname }) => `http://${NEIGHBOUR}:${port}${pathname}` },
  ),
  elsewhere(
    "longer-host",
    "The server does not redirect to a host that begins like the registered one",
    ({ hostname, pathname }) => `http://${hostname}.${STRANGER}${pathname}`,
    {
      // Only an address can be continued to another one of the loopback network.
      neighbour: ({ hostname, port, pathname }) =>
        hostname === "127.0.0.1" ? `http://${hostname}9:${port}${pathname}` : undefined,
    },
  ),
  elsewhere(
    "userinfo",
    "The server does not redirect to a host with the registered one as its user name",
    ({ protocol, hostname, pathname }) => `${protocol}//${hostname}:80@${STRANGER}${pathname}`,
    {
      neighbour: ({ protocol, hostname, port, pathname }) =>
        `${protocol}//${hostname}:80@${NEIGHBOUR}:${port}${pathname}`,
    },
  ),
  elsewhere(
    "other-path",
    "The server does not redirect to another path than the registered one",
    atOtherPath,
    { every: true },
  ),
  elsewhere(
    "longer-path",
    "The server does not redirect to a path below the registered one",
    ({ origin, pathname }) => `${origin}${pathname}${OTHER_PATH}`,
  ),
  leaving("traversal", "by `..`", ".."),
  leaving("traversal-parameter", "by `..;`", "..;"),
  leaving("traversal-encoded", "by `%2e%2e`", "%2e%2e"),
  leaving("traversal-encoded-twice", "by `%252e%252e`", "%252e%252e"),
  elsewhere(
    "javascript",
    "The server does not redirect to a URI of the scheme `javascript`",
    ({ host, pathname }) => `javascript://${host}${pathname}`,
    {
      isWrong: ({ protocol }) => protocol === "javascript:",
      source: "RFC 6749 section 4.1.2.1, better-auth#9838",
    },
  ),
  elsewhere(
    "data",
    "The server does not redirect to a URI of the scheme `data`",
    () => "data:text/html,conformance",
    { isWrong: ({ protocol }) => protocol === "data:" },
  ),
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
    "The server does not redirect to the registered URI under https in place of http",
    ({ href }) => href.replace(/^http:/, "https:"),
    exactly,
  ),
  {
    ...elsewhere(
      "query",
      "The server does not redirect to the registered URI with an added query",
      ({ href }) => withQuery(href, "conformance=1"),
    ),
    ...exactly,
    source: "RFC 9700 section 2.1, CVE-2020-15233",
    isWrong: (to) => to.searchParams.has("conformance"),
  },
  {
    ...elsewhere(
      "query-code",
      "The server does not redirect to the registered URI with an added code",
      ({ href }) => withQuery(href, "code=conformance"),
    ),
    ...exactly,
    isWrong: (to) => to.searchParams.getAll("code").includes("conformance"),
  },
  {
    ...elsewhere(
      "fragment",
      "The server does not redirect to the registered URI with a fragment",
      ({ href }) => `${href}#conformance`,
    ),
    ...exactly,
    source: "RFC 6749 section 3.1.2",
    isWrong: (to) => to.hash.includes("conformance"),
  },
  elsewhere(
    "case",
    "The server does not redirect to the registered path in capitals",
    ({ origin, pathname }) => origin + pathname.toUpperCase(),
    {
      ...exactly,
      change: ({ origin, pathname }) => differing(origin, pathname, pathname.toUpperCase()),
    },
  ),
  elsewhere(
    "slash",
    "The server does not redirect to the registered path with a slash at its end",
    ({ origin, pathname }) => `${origin}${pathname}/`,
    exactly,
  ),
  elsewhere(
    "encoded",
    "The server does not redirect to the registered path with a letter percent-encoded",
    ({ origin, pathname }) => origin + encodedLetter(pathname),
    {
      ...exactly,
      source: "RFC 9700 section 2.1, CVE-2020-15234",
      change: ({ origin, pathname }) => differing(origin, pathname, encodedLetter(pathname)),
    },
  ),
  {
    ...open,
    id: "host-case",
    title: "What the server does with the registered host in capitals",
    source: "RFC 3986 section 6.2.2.1",
    change: ({ protocol, host, pathname }) =>
      /[a-z]/.test(host)
        ? { redirect_uri: `${protocol}//${host.toUpperCase()}${pathname}` }
        : undefined,
  },
  {
    ...open,
    id: "localhost",
    title: "Whether the server treats localhost and the loopback address as equal",
    source: "RFC 8252 section 8.3",
    requirement: "rfc8252.loopback",
    change: ({ hostname, port, pathname }) => ({
      redirect_uri: `http://${hostname === "localhost" ? "127.0.0.1" : "localhost"}:${port}${pathname}`,
    }),
  },
  {
    ...open,
    id: "other-port",
    title: "What the server does with another loopback port than the registered one",
    source: "RFC 8252 section 7.3",
    requirement: "rfc8252.loopback",
    change: ({ hostname, port, pathname }) => ({
      redirect_uri: `http://${hostname}:${port === "9" ? "10" : "9"}${pathname}`,
    }),
  },
  {
    ...open,
    id: "missing",
    title: "What the server does with a request without a redirect URI",
    source: "RFC 6749 section 3.1.2.3",
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

/**
 * A change whose redirect the suite sees behind a login, and where it arrives; `undefined` where no listener
 * can receive it.
 */
export function seenBehindLogin(
  { change, neighbour }: RedirectChange,
  registered: URL,
): { readonly change: AuthorizationChange; readonly at: string } | undefined {
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

function withQuery(href: string, query: string): string {
  return href + (href.includes("?") ? "&" : "?") + query;
}

function encodedLetter(pathname: string): string {
  return pathname.replace(/[a-z]/i, (letter) => `%${(letter.codePointAt(0) ?? 0).toString(16)}`);
}

/** The path in another spelling; `undefined` where that is the same. */
function differing(
  origin: string,
  pathname: string,
  other: string,
): AuthorizationChange | undefined {
  return other === pathname ? undefined : { redirect_uri: origin + other };
}
