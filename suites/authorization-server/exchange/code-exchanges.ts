import type { Redeemable, ServerProbe } from "../../../src/authorization-server/probe.ts";
import {
  byBasic,
  namedOnly,
  withOtherKey,
} from "../../../src/authorization-server/protocol/client-authentication.ts";
import type { TokenRequestChange } from "../../../src/authorization-server/protocol/token-request.ts";
import {
  type ClientCase,
  clientsOf,
  codeClients,
  everyCodeClient,
  forEach,
  otherClientsThan,
  REFUSED,
  type ServerCase,
} from "../../../src/authorization-server/rule.ts";
import { refusal } from "../../../src/authorization-server/tokens/flow-control.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { AuthorizationServer, Client } from "../../../src/profile/authorization-server.ts";
import { parseToken } from "../../../src/tokens/parse.ts";
import {
  MOST_CONSENTS,
  judgeAlmostRedirects,
  judgeOtherClients,
  judgeWrongSecrets,
} from "./refused-exchanges.ts";
import { byServices } from "./wrong-credentials.ts";

interface CodeExchange extends Pick<
  ClientCase,
  "id" | "title" | "requirement" | "grounds" | "appliesTo"
> {
  /** Whether it is run for every client, not only for each kind. Default: false. */
  readonly every?: boolean;
  /** The cases of client credentials that present the same credentials; see `byServices`. Default: none. */
  readonly services?: readonly string[];
  readonly change: (
    coded: Redeemable,
    client: Client,
  ) => TokenRequestChange | Promise<TokenRequestChange>;
}

const REDIRECTED = {
  requirement: "rfc6749.code-bound",
  grounds: {
    why: "a code that was redirected to an attacker could be redeemed",
    source: "RFC 6749 section 4.1.3",
  },
} as const;
const OF_ANOTHER = {
  requirement: "rfc6749.code-bound",
  grounds: {
    why: "a client could use what was granted to another",
    source: "RFC 6749 section 4.1.3",
  },
} as const;
const STOLEN = {
  requirement: "rfc6749.client-authentication",
  grounds: {
    why: "an attacker who steals a code could redeem it",
    source: "RFC 6749 section 4.1.3",
  },
} as const;

/** Changes to the token request of a code. Each case uses its own code. */
const CODE_EXCHANGES: readonly CodeExchange[] = [
  {
    id: "altered",
    title: "A code that was never issued gives no token",
    requirement: "rfc6749.code-bound",
    grounds: { why: "codes could be guessed", source: "RFC 6749 section 4.1.3" },
    change: ({ code }) => ({ parameters: { code: altered(code) } }),
  },
  {
    id: "empty",
    title: "An empty code gives no token",
    requirement: "rfc6749.code-bound",
    grounds: { why: "nobody would need a code", source: "RFC 6749 section 4.1.3" },
    change: () => ({ parameters: { code: "" } }),
  },
  {
    id: "redirect-other",
    title: "A redirect URI other than the one of the authorization request gives no token",
    ...REDIRECTED,
    change: ({ request }) => ({ parameters: { redirect_uri: `${request.redirectUri}/other` } }),
  },
  {
    id: "redirect-host",
    title: "The redirect URI of the authorization request on another host gives no token",
    ...REDIRECTED,
    change: ({ request: { redirectUri } }) => {
      const { pathname, search } = new URL(redirectUri);
      return { parameters: { redirect_uri: `http://conformance.invalid${pathname}${search}` } };
    },
  },
  {
    id: "redirect-beginning",
    title: "The redirect URI of the authorization request without its last letter gives no token",
    ...REDIRECTED,
    change: ({ request }) => ({ parameters: { redirect_uri: request.redirectUri.slice(0, -1) } }),
  },
  {
    id: "redirect-missing",
    title: "A token request without the redirect URI of the authorization request gives no token",
    requirement: "rfc6749.code-bound",
    grounds: {
      why: "a code that was redirected to an attacker could be redeemed; a server of OAuth 2.1, where PKCE prevents that, may mean it, and OAuth 2.0 does not allow it",
      source: "RFC 6749 section 4.1.3",
    },
    change: () => ({ parameters: { redirect_uri: undefined } }),
  },
  {
    id: "no-authentication",
    title: "A client that authenticates gets no token for a code alone",
    ...STOLEN,
    every: true,
    services: ["no-secret", "no-assertion"],
    appliesTo: ({ authentication }) => authentication !== "none",
    change: (_coded, client) => ({ credentials: namedOnly(client) }),
  },
  {
    id: "empty-secret",
    title: "A client that has a secret gets no token with an empty one",
    ...STOLEN,
    grounds: { ...STOLEN.grounds, source: "RFC 6749 section 4.1.3, CVE-2026-73309" },
    services: ["empty-secret"],
    appliesTo: ({ authentication }) => authentication.startsWith("client_secret"),
    change: (_coded, client) => ({ as: { ...client, secret: "" } }),
  },
  {
    id: "wrong-key",
    title: "A client gets no token with an assertion that another key signed",
    ...STOLEN,
    grounds: { ...STOLEN.grounds, source: "RFC 6749 section 4.1.3, RFC 7523 section 3" },
    services: ["wrong-key"],
    appliesTo: ({ authentication }) => authentication === "private_key_jwt",
    change: async (_coded, client) => ({ as: await withOtherKey(client) }),
  },
];

/** Judges that a changed token request gets no token for a code. */
async function judgeExchange(
  probe: ServerProbe,
  client: Client,
  change: CodeExchange["change"],
): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const response = await probe.exchange(client, coded, await change(coded, client));
  return refusal(response, control);
}

/**
 * Judges that a client of its own gets no token for the code of another one.
 * @param changeBy the change of its request; default: none
 */
async function judgeByOther(
  probe: ServerProbe,
  client: Client,
  other: Client | undefined = client,
  changeBy?: (other: Client) => TokenRequestChange,
): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  // If the other client cannot get its own token, a refusal proves nothing.
  await probe.control(other);
  return refusal(await probe.exchange(other, coded, changeBy?.(other)), control);
}

/** A client by client credentials with another `client_id`. */
export function serviceOtherThan(server: AuthorizationServer, { id }: Client): Client | undefined {
  return clientsOf(server, "client_credentials").find((other) => other.id !== id);
}

/** Another client of the flow that can authenticate by HTTP Basic while the form names the first one. */
function mixableWith(server: AuthorizationServer, client: Client): Client | undefined {
  return otherClientsThan(server, client).find(({ secret }) => secret !== undefined);
}

/** Judges that a code that has given a token does not give another. */
export async function judgeReplay(probe: ServerProbe, client: Client): Promise<Finding> {
  const control = await probe.control(client);
  const coded = await probe.code(client);
  const once = await probe.exchange(client, coded);
  if (once.accessToken === undefined) {
    return Finding.inconclusive(phrase`the code gave no token the first time`);
  }
  return refusal(await probe.exchange(client, coded), control);
}

/** Who may redeem a code, and how, RFC 6749 section 4.1.3. */
export function exchangeCases(server: AuthorizationServer): readonly ServerCase[] {
  const first = clientsOf(server, "authorization_code").slice(0, 1);
  const kinds = codeClients(server);
  return [
    ...CODE_EXCHANGES.flatMap(({ every = false, services = [], change, ...one }) =>
      forEach(every ? everyCodeClient(server) : kinds, {
        ...REFUSED,
        ...one,
        dependsOn: byServices(server, ...services),
        judge: (probe, client) => judgeExchange(probe, client, change),
      }),
    ),
    ...forEach(kinds, {
      ...REFUSED,
      id: "redirect-almost",
      title:
        "A redirect URI that is almost that of the authorization request, or empty, gives no token",
      ...REDIRECTED,
      consents: { least: 1, most: MOST_CONSENTS.redirects },
      judge: judgeAlmostRedirects,
    }),
    // A secret that everybody knows may be the one of a single client.
    ...forEach(everyCodeClient(server), {
      ...REFUSED,
      appliesTo: ({ authentication }) => authentication.startsWith("client_secret"),
      id: "wrong-secret",
      dependsOn: byServices(server, "wrong-secret", "other-method", "id-as-secret"),
      title:
        "A client gets no token with a wrong secret, by either method, or with its `client_id`",
      ...STOLEN,
      consents: { least: 1, most: MOST_CONSENTS.secrets },
      judge: judgeWrongSecrets,
    }),
    ...forEach(kinds, {
      ...REFUSED,
      appliesTo: (client) => otherClientsThan(server, client).length > 0,
      id: "other-client",
      title: "Another client gets no token for the code",
      consents: { least: 1, most: MOST_CONSENTS.clients },
      ...OF_ANOTHER,
      judge: judgeOtherClients,
    }),
    ...forEach(first, {
      ...REFUSED,
      appliesTo: (client) => serviceOtherThan(server, client) !== undefined,
      id: "service-client",
      title: "A client of the client credentials flow gets no token for the code",
      ...OF_ANOTHER,
      judge: (probe, client) => judgeByOther(probe, client, serviceOtherThan(probe.server, client)),
    }),
    ...forEach(first, {
      ...REFUSED,
      appliesTo: (client) => mixableWith(server, client) !== undefined,
      id: "mixed-client",
      title: "Another client that names the code's client in its request gets no token",
      ...OF_ANOTHER,
      grounds: { ...OF_ANOTHER.grounds, source: "RFC 6749 section 4.1.3, CVE-2026-118669" },
      judge: (probe, client) =>
        judgeByOther(probe, client, mixableWith(probe.server, client), (other) => ({
          as: byBasic(other),
          parameters: { client_id: client.id },
        })),
    }),
  ];
}

/**
 * A code or refresh token with one letter replaced, in the middle or soon after. Another letter than the same one in
 * the other case, because a server may read it as hexadecimal digits. In a signed JWT it is a letter of the signature:
 * a server that verifies none reads the rest all the same.
 */
export function altered(text: string): string {
  const start = typeof parseToken(text) === "string" ? 0 : text.lastIndexOf(".") + 1;
  const middle = start + Math.floor((text.length - start) / 2);
  const found = text.slice(middle).search(/[A-Za-z\d]/);
  const at = middle + Math.max(found, 0);
  return text.slice(0, at) + (text[at]?.toUpperCase() === "A" ? "B" : "A") + text.slice(at + 1);
}
