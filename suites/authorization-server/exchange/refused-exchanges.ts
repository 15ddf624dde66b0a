import type { Redeemable, ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { TokenRequestChange } from "../../../src/authorization-server/protocol/token-request.ts";
import { otherClientsThan } from "../../../src/authorization-server/rule.ts";
import { addQuery } from "../../../src/lib/uri.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { type Client, isUnattended } from "../../../src/profile/authorization-server.ts";
import { refusedInTurn } from "./refused-in-turn.ts";
import { wrongSecrets } from "./wrong-credentials.ts";

// Token requests for a code that must be refused. Those of one case are sent in turn with one code.

/** A token request that differs in one thing from the one that the code is for. */
interface WrongExchange {
  /** What is wrong, after "for". */
  readonly what: string;
  /** Who sends it. Default: the client of the code. */
  readonly by?: Client;
  readonly change?: TokenRequestChange;
}

/** Redirect URIs that differ from another one in one thing. They are not identical, RFC 6749 section 4.1.3. */
const ALMOST_REDIRECTS: readonly {
  readonly what: string;
  readonly of: (redirectUri: URL) => string;
}[] = [
  // The same as none, RFC 6749 section 3.2.
  { what: "an empty redirect URI", of: () => "" },
  {
    what: "the redirect URI with another query",
    of: ({ href }) => addQuery(href, "conformance=1"),
  },
  { what: "the redirect URI with another slash at its end", of: ({ href }) => `${href}/` },
  {
    what: "the redirect URI with another port",
    of: ({ href, port }) => withParts(href, { port: port === "8" ? "9" : "8" }),
  },
  {
    what: "the redirect URI with its path in capitals",
    of: ({ href, pathname }) => withParts(href, { pathname: pathname.toUpperCase() }),
  },
  { what: "the redirect URI with a fragment", of: ({ href }) => `${href}#conformance` },
  {
    what: "the redirect URI with another scheme",
    of: ({ href, protocol }) => href.replace(/^https?:/, protocol === "http:" ? "https:" : "http:"),
  },
  {
    what: "the redirect URI with a dot segment",
    of: ({ href, origin }) => href.replace(origin, `${origin}/.`),
  },
  {
    what: "the redirect URI with localhost in place of the loopback address, or the other way round",
    of: ({ href, hostname }) =>
      withParts(href, { hostname: OTHER_LOOPBACK.get(hostname) ?? hostname }),
  },
];

const OTHER_LOOPBACK: ReadonlyMap<string, string> = new Map([
  ["127.0.0.1", "localhost"],
  ["localhost", "127.0.0.1"],
]);

/** The most consents that the cases take, where each refused request ends the grant. */
export const MOST_CONSENTS: Readonly<Record<"redirects" | "secrets" | "clients", number>> = {
  redirects: ALMOST_REDIRECTS.length,
  secrets: 3,
  clients: 2,
};

function withParts(
  href: string,
  parts: Partial<Pick<URL, "hostname" | "port" | "pathname">>,
): string {
  return Object.assign(new URL(href), parts).href;
}

/** Judges that a redirect URI which is almost that of the authorization request gives no token for a code. */
export async function judgeAlmostRedirects(probe: ServerProbe, client: Client): Promise<Finding> {
  const redirectUri = await probe.redirectUri(client);
  const requests = ALMOST_REDIRECTS.map(({ what, of }) => ({ what, almost: of(redirectUri) }))
    .filter(({ almost }) => almost !== redirectUri.href)
    .map(({ what, almost }) => ({ what, change: { parameters: { redirect_uri: almost } } }));
  return judgeInTurn(probe, client, requests);
}

/** Judges that a client with a secret that is not its own gets no token for a code. */
export function judgeWrongSecrets(probe: ServerProbe, client: Client): Promise<Finding> {
  return judgeInTurn(probe, client, wrongSecrets(client));
}

/** Judges that other clients get no token for a code. */
export async function judgeOtherClients(probe: ServerProbe, client: Client): Promise<Finding> {
  const others = await workingOthers(probe, client);
  const requests = others.map((by) => ({ what: `the client ${by.name}`, by }));
  return judgeInTurn(probe, client, requests);
}

/**
 * Other clients of the flow. Each of them gets a token of its own first, because otherwise a refusal proves nothing.
 * @throws CaseEnd where one gets none
 */
export async function workingOthers(
  probe: ServerProbe,
  client: Client,
): Promise<readonly Client[]> {
  const others = otherClientsThan(probe.server, client);
  for (const other of others) await probe.control(other);
  return others;
}

async function judgeInTurn(
  probe: ServerProbe,
  client: Client,
  requests: readonly WrongExchange[],
): Promise<Finding> {
  const control = await probe.control(client);
  const sent = requests.map(({ what, by = client, change }) => ({
    what,
    send: (coded: Redeemable) => probe.exchange(by, coded, change),
  }));
  return refusedInTurn(sent, control, {
    obtain: () => probe.code(client),
    sendGood: (coded) => probe.exchange(client, coded),
    unattended: isUnattended(client),
  });
}
