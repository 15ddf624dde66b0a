import type { Redeemable, ServerProbe } from "../../../src/authorization-server/probe.ts";
import {
  byBasic,
  namedOnly,
  withOtherKey,
} from "../../../src/authorization-server/protocol/client-authentication.ts";
import type { TokenRequestChange } from "../../../src/authorization-server/protocol/token-request.ts";
import { clientsOf, otherClientsThan } from "../../../src/authorization-server/rule.ts";
import { refusal } from "../../../src/authorization-server/tokens/flow-control.ts";
import type { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";
import { altered } from "./altered.ts";

/** A change to the token request of a code. */
interface CodeExchange {
  readonly id: string;
  readonly title: string;
  readonly source: string;
  readonly why: string;
  readonly requirement: string;
  /** Whether it is run for every client, not only for each kind. Default: false. */
  readonly every?: boolean;
  /** The cases of client credentials that present the same credentials; see `byServices`. Default: none. */
  readonly services?: readonly string[];
  /** Which clients it applies to. Default: every client. */
  readonly appliesTo?: (client: Client) => boolean;
  readonly change: (
    coded: Redeemable,
    client: Client,
  ) => TokenRequestChange | Promise<TokenRequestChange>;
}

/** Changes to the token request of a code. Each case uses its own code. */
export const CODE_EXCHANGES: readonly CodeExchange[] = [
  {
    id: "altered",
    title: "A code that was never issued gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "codes could be guessed",
    requirement: "rfc6749.code-bound",
    change: ({ code }) => ({ parameters: { code: altered(code) } }),
  },
  {
    id: "empty",
    title: "An empty code gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "nobody would need a code",
    requirement: "rfc6749.code-bound",
    change: () => ({ parameters: { code: "" } }),
  },
  {
    id: "redirect-other",
    title: "A redirect URI other than the one of the authorization request gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed",
    requirement: "rfc6749.code-bound",
    change: ({ request }) => ({ parameters: { redirect_uri: `${request.redirectUri}/other` } }),
  },
  {
    id: "redirect-host",
    title: "The redirect URI of the authorization request on another host gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed",
    requirement: "rfc6749.code-bound",
    change: ({ request: { redirectUri } }) => {
      const { pathname, search } = new URL(redirectUri);
      return { parameters: { redirect_uri: `http://conformance.invalid${pathname}${search}` } };
    },
  },
  {
    id: "redirect-beginning",
    title: "The redirect URI of the authorization request without its last letter gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed",
    requirement: "rfc6749.code-bound",
    change: ({ request }) => ({ parameters: { redirect_uri: request.redirectUri.slice(0, -1) } }),
  },
  {
    id: "redirect-missing",
    title: "A token request without the redirect URI of the authorization request gives no token",
    source: "RFC 6749 section 4.1.3",
    why: "a code that was redirected to an attacker could be redeemed; a server of OAuth 2.1, where PKCE prevents that, may mean it, and OAuth 2.0 does not allow it",
    requirement: "rfc6749.code-bound",
    change: () => ({ parameters: { redirect_uri: undefined } }),
  },
  {
    id: "no-authentication",
    title: "A client that authenticates gets no token for a code alone",
    source: "RFC 6749 section 4.1.3",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    every: true,
    services: ["no-secret", "no-assertion"],
    appliesTo: ({ authentication }) => authentication !== "none",
    change: (_coded, client) => ({ credentials: namedOnly(client) }),
  },
  {
    id: "empty-secret",
    title: "A client that has a secret gets no token with an empty one",
    source: "RFC 6749 section 4.1.3, CVE-2026-73309",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    services: ["empty-secret"],
    appliesTo: ({ authentication }) => authentication.startsWith("client_secret"),
    change: (_coded, client) => ({ as: { ...client, secret: "" } }),
  },
  {
    id: "wrong-key",
    title: "A client gets no token with an assertion that another key signed",
    source: "RFC 6749 section 4.1.3, RFC 7523 section 3",
    why: "an attacker who steals a code could redeem it",
    requirement: "rfc6749.client-authentication",
    services: ["wrong-key"],
    appliesTo: ({ authentication }) => authentication === "private_key_jwt",
    change: async (_coded, client) => ({ as: await withOtherKey(client) }),
  },
];

const EXPECTED = phrase`no access token is issued`;

/** Judges that a changed token request gets no token for a code. */
export async function judgeExchange(
  probe: ServerProbe,
  client: Client,
  change: CodeExchange["change"],
): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const response = await probe.exchange(client, coded, await change(coded, client));
  return refusal(response, control, EXPECTED);
}

/** Judges that a client of the other flow gets no token for a code. */
export async function judgeServiceClient(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const other = serviceOtherThan(probe.server, client) ?? client;
  // If the other client cannot get its own token, a refusal proves nothing.
  await probe.control(other);
  return refusal(await probe.exchange(other, coded), control, EXPECTED);
}

/** A client by client credentials with another `client_id`. */
export function serviceOtherThan(server: AuthorizationServer, { id }: Client): Client | undefined {
  return clientsOf(server, "client_credentials").find((other) => other.id !== id);
}

/** Another client of the flow that can authenticate by HTTP Basic while the form names the first one. */
export function mixableWith(server: AuthorizationServer, client: Client): Client | undefined {
  return otherClientsThan(server, client).find(({ secret }) => secret !== undefined);
}

/** Judges that another client gets no token for a code by naming the code's client beside its own credentials. */
export async function judgeMixedClient(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const other = mixableWith(probe.server, client) ?? client;
  await probe.control(other);
  const response = await probe.exchange(other, coded, {
    as: byBasic(other),
    parameters: { client_id: client.id },
  });
  return refusal(response, control, EXPECTED);
}

/** Judges that a code that has given a token does not give another. */
export async function judgeReplay(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const once = await probe.exchange(client, coded);
  if (once.accessToken === undefined) {
    return { kind: "inconclusive", reason: phrase`the code gave no token the first time` };
  }
  return refusal(await probe.exchange(client, coded), control, EXPECTED);
}
