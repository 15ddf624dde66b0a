import type { FindOut } from "../authorization-server/probe.ts";
import type { AuthorizationAnswer } from "../authorization-server/protocol/authorization-request.ts";
import { formsOf } from "../authorization-server/protocol/client-authentication.ts";
import { connectBy, type Connection } from "../authorization-server/protocol/connection.ts";
import type { ConsentSurroundings } from "../authorization-server/protocol/consents.ts";
import { discover } from "../authorization-server/protocol/metadata.ts";
import type { Origins, ServerRequest } from "../authorization-server/protocol/origins.ts";
import type { RedirectListener } from "../authorization-server/protocol/redirect-listener.ts";
import { createIssuedTokens, type IssuedTokens } from "../authorization-server/tokens/issued.ts";
import type { Scope } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { AuthorizationServer, Client } from "../profile/authorization-server.ts";
import { hiding, notRecorded, onlyRecorded } from "./missing.ts";
import { type Sent, TOKEN } from "./recorded-exchanges.ts";
import { isAs, NOT_TOLD, otherParameters, serverAnswer } from "./server-record.ts";

/** What answers the requests of a recorded connection. */
export interface Answering {
  /** The exchange of a request. */
  readonly exchangeOf: (name: string, request: ServerRequest) => Exchange;
  /** Whether a consent gave a code: the redirect arrives at the suite, which records nothing of it. Default: always. */
  readonly hasCode?: () => boolean;
  /** Is called when a page is read that is not recorded, and may lead on. */
  readonly onUnknownPage?: () => void;
  /** Default: read from the record. */
  readonly endpoints?: Connection["endpoints"] | undefined;
  /** Where redirects arrive, where that is not recorded. Default: NotRecorded is thrown. */
  readonly redirectUri?: string | undefined;
}

/**
 * The connection of a run to its authorization server, which sends nothing: each request that is composed gets a recorded answer.
 * @returns the connection, and the tokens that it gives
 * @throws NotRecorded from both, for anything that is not recorded, such as the text of a token
 */
export function recordedConnection(
  { facts, senders }: Sent,
  { exchangeOf, hasCode = () => true, onUnknownPage = () => {}, endpoints, redirectUri }: Answering,
): { readonly connection: Connection; readonly tokens: IssuedTokens } {
  const server = (facts.authorizationServer ?? notRecorded("server")) as AuthorizationServer;
  // The profile may name endpoints, of which a report has only the origins.
  const isUnknown = facts.authorizationServer?.urls !== undefined;
  const origins = onlyRecorded<Origins>(
    {
      async send(name, request) {
        const isLed = request.headers?.some(([, value]) => value.startsWith("text/html")) ?? false;
        return serverAnswer(exchangeOf(name, request), isLed, onUnknownPage);
      },
    },
    "server",
  );
  const surroundings = onlyRecorded<ConsentSurroundings>(
    {
      listenerOf: async (client) =>
        listenerAt(redirectUriOf(client, senders) ?? redirectUri ?? notRecorded("server")),
      listenAt: async (url) => listenerAt(url),
      authorize: async () =>
        hasCode()
          ? onlyRecorded<AuthorizationAnswer>({ code: NOT_TOLD, error: undefined }, "server")
          : notRecorded("server"),
      // Where a client pushes its requests, none of its recorded ones fits.
      hasToPush: () => Promise.resolve(false),
    },
    "server",
  );
  const known =
    endpoints ?? (async () => (isUnknown ? notRecorded("server") : discover(server, origins)));
  const { consents, ...rest } = connectBy(server, origins, known, { surroundings });
  // In the record, the forms of a client's authentication are all the same.
  for (const client of server.clients) {
    const [form] = formsOf(client);
    if (form) rest.forms.set(client.name, form);
  }
  const connection: Connection = {
    ...rest,
    consents: {
      ...consents,
      pushes: async () => ((await known()).mustPush ? notRecorded("server") : false),
      request: (client, scopes, options = {}) =>
        // A state of the case's own comes back redacted.
        "state" in (options.change ?? {})
          ? notRecorded("server")
          : consents.request(client, scopes, options),
    },
    async request(...sent) {
      const response = await rest.request(...sent);
      if ("failed" in response) return response;
      return hiding(response, ["refreshToken", "idToken", "request"]);
    },
  };
  const tokens = createIssuedTokens(connection);
  return {
    connection,
    tokens: {
      ...tokens,
      async fresh(...asked) {
        const got = await tokens.fresh(...asked);
        if ("failed" in got) return got;
        const { startedAt, durationMs, response } = got.response.answer.reply.exchange;
        if (!response?.token || JSON.stringify(response.token).includes(NOT_TOLD))
          return notRecorded("server");
        return hiding({ ...got, issuedAtMs: Date.parse(startedAt) + durationMs }, ["token"]);
      },
    },
  };
}

function listenerAt(redirectUri: string): RedirectListener {
  return onlyRecorded<RedirectListener>({ redirectUri, close: () => Promise.resolve() }, "server");
}

/** Where a client's redirects arrived, by its first good token request. */
function redirectUriOf({ name }: Client, senders: Sent["senders"]): string | undefined {
  const [first] = senders.get(TOKEN + name) ?? [];
  return new URLSearchParams(first?.request.body).get("redirect_uri") ?? undefined;
}

/** What the cases about the authorization server share. */
export interface SharedOfServer {
  readonly endpoints: Connection["endpoints"];
  /** The first token that a client got with these scopes, or the one of these exchanges. */
  token(
    client: Client,
    scopes: readonly Scope[],
    named: readonly string[],
  ): ReturnType<IssuedTokens["get"]>;
  /** By function and client; see `ServerProbe.shared`. */
  readonly found: Map<FindOut<unknown>, Map<string, Promise<FoundOut | undefined>>>;
}

/** What was found out on the requests of some case. */
export interface FoundOut {
  readonly value: unknown;
  /** It rests on a page that is not recorded. */
  readonly isDoubtful: boolean;
}

/** What the cases about the authorization server share in a record. It is read when a case asks for it. */
export function sharedOfServer(record: Sent): SharedOfServer {
  const { senders } = record;
  const tokens = new Map<string, ReturnType<IssuedTokens["get"]>>();
  let endpoints: ReturnType<Connection["endpoints"]> | undefined;
  const shared: SharedOfServer = {
    endpoints: () =>
      (endpoints ??= recordedConnection(record, {
        exchangeOf: (name, request) => sentFirst(senders, name, request),
      }).connection.endpoints()),
    token(client, scopes, named) {
      const name = TOKEN + client.name;
      const own = senders
        .get(name)
        ?.find(({ id, response }) => response?.token && named.includes(id));
      const key = `${client.name} ${scopes.join(" ")} ${own?.id}`;
      const known = tokens.get(key);
      if (known) return known;
      const got = recordedConnection(record, {
        exchangeOf: (_, request) => own ?? firstToken(senders.get(name) ?? [], request),
        endpoints: shared.endpoints,
      }).tokens.fresh(name, client, scopes);
      tokens.set(key, got);
      return got;
    },
    found: new Map(),
  };
  return shared;
}

/** The first exchange of a sender with this request. */
export function sentFirst(
  senders: Sent["senders"],
  name: string,
  request: ServerRequest,
): Exchange {
  const sent = senders.get(name) ?? [];
  return sent.find(isAs(request)) ?? notRecorded("server");
}

/** The first exchange that gave a token for this request. Where tokens are issued for the receiver's rules, others ask for fewer scopes. */
function firstToken(sent: readonly Exchange[], { form }: ServerRequest): Exchange {
  const first = sent.find(({ request, response }) => {
    const asked = new URLSearchParams(request.body);
    const isOfAll = !asked.has("scope") || !otherParameters(asked, form ?? asked).includes("scope");
    return response?.token !== undefined && isOfAll;
  });
  return first ?? notRecorded("server");
}
