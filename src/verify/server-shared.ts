import type { FindOut } from "../authorization-server/probe.ts";
import type { Connection } from "../authorization-server/protocol/connection.ts";
import type { ServerRequest } from "../authorization-server/protocol/origins.ts";
import type { IssuedTokens } from "../authorization-server/tokens/issued.ts";
import type { Scope } from "../contract/operations.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Client } from "../profile/authorization-server.ts";
import { notRecorded } from "./missing.ts";
import { recordedConnection } from "./recorded-connection.ts";
import type { Sent } from "./recorded-exchanges.ts";
import { isAs, otherParameters, TOKEN } from "./server-request.ts";

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
