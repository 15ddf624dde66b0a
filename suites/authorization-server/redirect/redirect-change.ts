import type { ParameterChange } from "../../../src/authorization-server/protocol/authorization-request.ts";
import { isSamePlace } from "../../../src/authorization-server/protocol/front-channel.ts";
import type { Grounds } from "../../../src/probe/rule.ts";

type Uri = (registered: URL) => string | undefined;

/** Another host, whose name the suite can listen at: any other address of the loopback network. */
export const NEIGHBOUR = "127.0.0.2";

/** A redirect URI that is not the registered one. */
export interface RedirectChange {
  readonly id: string;
  readonly title: string;
  /** Whether it is judged for every client, because each has its own registration. Default: for the first. */
  readonly every?: boolean;
  /** Default: MUST. RFC 6749 requires exact comparison only for URIs that are registered in full. */
  readonly level?: "SHOULD" | "OBSERVE";
  readonly requirement?: string;
  /** Default of each member: a code would go to an attacker, and the section that forbids it. */
  readonly grounds?: Grounds;
  /** The changes to the request; `undefined` where they do not apply to the registered URI. */
  readonly change: (registered: URL) => ParameterChange | undefined;
  /** Whether a redirect went to a URL that must not be reached. */
  readonly isWrong: (to: URL, registered: URL) => boolean;
  /** Whether it changes the client, which a pushed request names by its credentials too. Default: false. */
  readonly changesClient?: boolean;
  /**
   * Where the suite listens for a server that refuses after the login only. Default: at the URI of the change,
   * if it is on the registered host; see `seenBehindLogin`.
   */
  readonly neighbour?: Uri;
  /** Whether the person refuses consent behind the login. Default: the person consents. */
  readonly refuses?: boolean;
}

/** A path that no registration includes, unless its pattern matches everything. */
export const OTHER_PATH = "/conformance-is-not-registered";

/** A host in `.invalid`, where nothing can listen (RFC 6761). The suite never requests its URLs. */
export const STRANGER = "conformance.invalid";

/**
 * A change of host, path or scheme.
 * @param what where the server must not redirect to
 * @param uri the changed redirect URI for a registered one, which a redirect must not go to
 */
export function elsewhere(
  id: string,
  what: string,
  uri: (registered: URL) => string,
  more: Partial<RedirectChange> = {},
): RedirectChange {
  return {
    id,
    title: `The server does not redirect to ${what}`,
    change: (registered) => ({ redirect_uri: uri(registered) }),
    isWrong: leadsTo(uri),
    ...more,
  };
}

/** Whether a redirect went to such a URI. */
export function leadsTo(uri: (registered: URL) => string): RedirectChange["isWrong"] {
  return (to, registered) => isSamePlace(to, new URL(uri(registered)));
}

/** What the changes have in common that only exact comparison refuses. */
export const exactly = {
  level: "SHOULD",
  requirement: "rfc9700.redirect-exact",
  grounds: {
    why: "a URI that is compared loosely lets an attacker choose where the code goes",
    source: "RFC 9700 section 2.1",
  },
} as const;

/** What the changes have in common whose result is only observed. */
export const open = { level: "OBSERVE", grounds: { why: "" }, isWrong: () => false } as const;

/** A path of the registered origin that is not registered. */
export function atOtherPath({ origin }: URL): string {
  return origin + OTHER_PATH;
}

/** The registered path on a host that is not registered. */
export function atStranger({ pathname }: URL): string {
  return `https://${STRANGER}${pathname}`;
}

/** A good and a bad URI in one request, which must not redirect to the bad one. */
export function twice(
  id: string,
  title: string,
  inOrder: (good: string, bad: string) => string[],
): RedirectChange {
  return {
    id,
    title,
    isWrong: leadsTo(atOtherPath),
    neighbour: atOtherPath,
    change: (registered) => ({ redirect_uri: inOrder(registered.href, atOtherPath(registered)) }),
    grounds: { source: "RFC 6749 sections 3.1 and 4.1.2.1" },
  };
}

/**
 * Another host in a request that is bad in one more way, because a server may send the error for that before it
 * looks at the redirect URI.
 */
export function withError(id: string, what: string, parameters: ParameterChange): RedirectChange {
  return {
    id,
    isWrong: leadsTo(atStranger),
    title: `The server does not send the error for ${what} to another host`,
    grounds: {
      why: "the server would send people to any page that an attacker names",
      source: "RFC 6749 section 4.1.2.1, RFC 9700 section 4.11.2",
    },
    // The cases about hosts and paths show what happens behind a login.
    neighbour: () => undefined,
    change: (registered) => ({ redirect_uri: atStranger(registered), ...parameters }),
  };
}

/** A path that leaves the registered one. */
export function leaving(id: string, what: string, step: string): RedirectChange {
  const uri = ({ origin, pathname }: URL): string => `${origin}${pathname}/${step}${OTHER_PATH}`;
  return elsewhere(id, `a path that leaves the registered one, ${what}`, uri, {
    grounds: { source: "RFC 6749 section 4.1.2.1, CVE-2024-1132, CVE-2026-3872" },
  });
}
