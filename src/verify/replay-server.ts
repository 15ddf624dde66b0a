import type { Redeemable, ServerProbe } from "../authorization-server/probe.ts";
import type { Connection } from "../authorization-server/protocol/connection.ts";
import { readKeySet } from "../authorization-server/protocol/key-set.ts";
import { discover } from "../authorization-server/protocol/metadata.ts";
import type { Origins, ServerAnswer } from "../authorization-server/protocol/origins.ts";
import {
  readTokenResponse,
  type TokenRequest,
  type TokenRequestChange,
  type TokenResponse,
} from "../authorization-server/protocol/token-request.ts";
import type { IssuedToken } from "../authorization-server/tokens/issued.ts";
import { SERVER } from "../contract/ids.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import { otherParts } from "./issued.ts";
import { notRecorded, onlyRecorded } from "./missing.ts";
import type { Pool } from "./recorded-exchanges.ts";
import { recordedReply } from "./recorded-reply.ts";
import { type ReplayedTry, withoutBodies } from "./replay-probe.ts";

/**
 * A probe of the authorization server's side that sends nothing: metadata, keys, and the claims of tokens come from the
 * record. Tokens and codes themselves are secret, so that nothing else can be asked.
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
export function replayServerProbe({
  planned: { caseId },
  context: { facts, exchanges, senders },
  pool,
  evidence,
  differ,
}: ReplayedTry): ServerProbe {
  const server = facts.authorizationServer ?? notRecorded("server");

  const origins = onlyRecorded<Origins>(
    {
      send(name, { method, url }) {
        const fits = ({ request }: Exchange): boolean =>
          request.method === method && request.url === url;
        const exchange =
          name === caseId
            ? takeFirst(pool, fits)
            : (senders.get(name)?.find(fits) ?? notRecorded("server"));
        return Promise.resolve(answerIn(exchange));
      },
    },
    "server",
  );
  // The profile may name endpoints, of which a report has only the origins.
  const endpoints: Connection["endpoints"] = async () =>
    server.urls === undefined ? discover(server, origins) : notRecorded("server");
  const connection = onlyRecorded<Connection>({ endpoints, origins }, "server");

  /** The client's first token, or the one that the evidence names. */
  async function token(client: Client): Promise<IssuedToken> {
    const ofClient = senders.get(`${SERVER}/token-${client.name}`) ?? [];
    const named = [...evidence.probes, ...(evidence.controls ?? [])].map((id) => exchanges.get(id));
    const exchange = [...named, ...ofClient].find(
      (one) => one?.response?.token !== undefined && ofClient.includes(one),
    );
    return issuedBy(client, exchange ?? notRecorded("server"));
  }

  /** The response to the next token request of the case, which has a change. */
  function answered(client: Client, change: TokenRequestChange = {}): TokenResponse {
    const exchange = takeFirst(pool, () => true);
    for (const what of otherParts(exchange, client, change)) differ({ id: exchange.id, what });
    return responseIn(exchange);
  }

  /** A token that the case requested. */
  function freshToken(client: Client): Promise<IssuedToken> {
    return Promise.resolve(
      issuedBy(
        client,
        takeFirst(pool, () => true),
      ),
    );
  }

  return onlyRecorded<ServerProbe>(
    {
      target: withoutBodies(facts) as Target,
      server,
      endpoints,
      async keySet() {
        const found = await readKeySet(connection, caseId);
        return "failed" in found ? notRecorded("server") : found;
      },
      tryKeySet: () => readKeySet(connection, caseId),
      token,
      currentToken: token,
      freshToken,
      tryToken: freshToken,
      control: async (client) => ({ client, token: await token(client) }),
      // Codes are secret, and what redeems one is the case's own request.
      code: () => Promise.resolve(onlyRecorded<Redeemable>({}, "server")),
      clientCredentials: async (client, _, change) => answered(client, change),
      exchange: async (client, _, change) => answered(client, change),
    },
    "server",
  );
}

/** @throws NotRecorded when none fits */
function takeFirst(pool: Pool, fits: (exchange: Exchange) => boolean): Exchange {
  const at = pool.findIndex(fits);
  const [found] = at < 0 ? [] : pool.splice(at, 1);
  return found ?? notRecorded("server");
}

/** A response of the token endpoint. Of one with a token only that is known, because its body is secret. */
function responseIn(exchange: Exchange): TokenResponse {
  const answer = answerIn(exchange);
  if (exchange.response?.token) {
    return onlyRecorded<TokenResponse>(
      { answer, accessToken: "[redacted token]", error: undefined },
      "server",
    );
  }
  return readTokenResponse(answer, onlyRecorded<TokenRequest>({}, "server"));
}

function answerIn(exchange: Exchange): ServerAnswer {
  const reply = recordedReply(exchange);
  return {
    reply,
    status: reply.status,
    headers: reply.headers,
    get body() {
      return reply.body;
    },
    get json() {
      return reply.json();
    },
  };
}

function issuedBy(client: Client, { id, response, startedAt, durationMs }: Exchange): IssuedToken {
  const { header, claims } = response?.token ?? {};
  if (!header || !claims || JSON.stringify([header, claims]).includes("[redacted"))
    return notRecorded("server");
  return onlyRecorded<IssuedToken>(
    {
      client,
      unreadable: undefined,
      header,
      claims,
      exchange: id,
      issuedAtMs: Date.parse(startedAt) + durationMs,
    },
    "server",
  );
}
