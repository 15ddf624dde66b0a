import type { ServerProbe } from "../authorization-server/probe.ts";
import type { Connection } from "../authorization-server/protocol/connection.ts";
import { readKeySet } from "../authorization-server/protocol/key-set.ts";
import { discover } from "../authorization-server/protocol/metadata.ts";
import type { Origins, ServerAnswer } from "../authorization-server/protocol/origins.ts";
import type { IssuedToken } from "../authorization-server/tokens/issued.ts";
import { SERVER } from "../contract/ids.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Client } from "../profile/authorization-server.ts";
import type { Target } from "../profile/target.ts";
import { notRecorded, onlyRecorded } from "./missing.ts";
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
}: ReplayedTry): ServerProbe {
  const server = facts.authorizationServer ?? notRecorded("server");

  const origins = onlyRecorded<Origins>(
    {
      // eslint-disable-next-line @typescript-eslint/require-await
      async send(name, { method, url }) {
        const sent = name === caseId ? pool : (senders.get(name) ?? []);
        const exchange = sent.find(
          ({ request }) => request.method === method && request.url === url,
        );
        return answerIn(exchange ?? notRecorded("server"));
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
    },
    "server",
  );
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
