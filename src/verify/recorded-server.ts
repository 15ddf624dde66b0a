import { isDeepStrictEqual } from "node:util";

import {
  createServerProbe,
  type FindOut,
  type ServerProbe,
  type ServerSession,
} from "../authorization-server/probe.ts";
import type { ServerRequest } from "../authorization-server/protocol/origins.ts";
import { presentTo } from "../authorization-server/side.ts";
import type { IssuedToken, IssuedTokens } from "../authorization-server/tokens/issued.ts";
import type { Exchange } from "../http/exchange.ts";
import type { CaseProbe } from "../probe/case-run.ts";
import { exchangesOf } from "../probe/finding.ts";
import type { Client } from "../profile/authorization-server.ts";
import { hiding, notRecorded, onlyRecorded, unlessMissing } from "./missing.ts";
import { type FoundOut, recordedConnection, sentFirst } from "./recorded-connection.ts";
import { TOKEN, withoutRepeated } from "./recorded-exchanges.ts";
import { recordedReceiver, type ReplayedTry } from "./recorded-session.ts";
import { isAs, isStart, serverDifferences, unsigned } from "./server-record.ts";

/**
 * The probe of a run of the authorization server's side for one try of a case, whose session sends nothing: each request that is
 * composed gets its recorded answer.
 * @param sharing whether only what cases share is run, on the requests of one of them. Default: false
 * @throws NotRecorded from the probe, for anything that is not recorded
 */
export function recordedServerProbe(
  tried: ReplayedTry,
  sharing = false,
): CaseProbe<ServerProbe, IssuedToken> {
  const { planned, context, pool, evidence, marks } = tried;
  const { caseId } = planned;
  const { target, senders, ofServer } = context;
  // Only the last answer to a request that was sent again counts.
  pool.splice(0, pool.length, ...withoutRepeated(pool));

  /** Takes the exchange of a request of the case: where it begins something, the next one. */
  function take(request: ServerRequest): Exchange {
    const [next] = pool;
    const isNext = next !== undefined && !sharing && isStart(request, next);
    const exchange = isNext ? next : pool.find(isAs(request));
    if (!exchange) return notRecorded("server");
    pool.splice(pool.indexOf(exchange), 1);
    for (const what of serverDifferences(request, exchange))
      marks.differing.push({ id: exchange.id, what });
    return exchange;
  }

  const { connection, tokens } = recordedConnection(context, {
    exchangeOf: (name, request) =>
      name === caseId ? take(request) : sentFirst(senders, name, request),
    // Whether there was one is known only if the case has redeemed it.
    hasCode: () => pool[0]?.request.method === "POST",
    onUnknownPage: () => (marks.doubtful = true),
    endpoints: ofServer.endpoints,
  });
  const get: IssuedTokens["get"] = (client, scopes = client.scopes) =>
    ofServer.token(client, scopes, exchangesOf(evidence));
  const send = presentTo(target, () => recordedReceiver(tried));
  const session: ServerSession = {
    target,
    connection,
    tokens: { ...tokens, get, control: get },
    found: new Map(),
    wait: () => Promise.resolve(),
    present: (name, token, operation, options) =>
      send(name, options?.wanted === false ? token : asSent(token), operation, options),
  };

  /** A token with a text. The receiver may have got another one of its client, if it was used for long. */
  function asSent(token: IssuedToken): IssuedToken {
    const sent = pool[0]?.request.token;
    const all = (senders.get(TOKEN + token.client.name) ?? []).map(
      ({ response }) => response?.token,
    );
    const other = all.find(
      (one) => one && isDeepStrictEqual([one.header, one.claims], [sent?.header, sent?.claims]),
    );
    return { ...token, token: unsigned(other ?? token) };
  }

  /** Runs what cases share: on the record of this case, or of the first one that allows it. */
  async function shared<T>(find: FindOut<T>, client: Client): Promise<T> {
    const byClient = ofServer.found.get(find) ?? new Map<string, Promise<FoundOut | undefined>>();
    ofServer.found.set(find, byClient);
    const found =
      (await sharedOn(find, client, pool)) ??
      (await (byClient.get(client.name) ?? ofAny(find, client, byClient)));
    if (!found) return onlyRecorded({}, "server") as T;
    marks.doubtful ||= found.isDoubtful;
    return found.value as T;
  }

  function ofAny(
    find: FindOut<unknown>,
    client: Client,
    byClient: Map<string, Promise<FoundOut | undefined>>,
  ): Promise<FoundOut | undefined> {
    const found = (async () => {
      for (const theirs of senders.values()) {
        const one = await sharedOn(find, client, theirs);
        if (one) return one;
      }
      return undefined;
    })();
    byClient.set(client.name, found);
    return found;
  }

  /** What is found out on the requests of one case, which are then taken out; `undefined` where they do not allow it. */
  async function sharedOn(
    find: FindOut<unknown>,
    client: Client,
    sent: readonly Exchange[],
  ): Promise<FoundOut | undefined> {
    const first = sent.find(({ request }) => request.url.includes("client_id="));
    if (!first) return undefined;
    const theirs = {
      ...tried,
      planned: { ...planned, caseId: first.caseId },
      pool: [...sent],
      marks: { ...marks, doubtful: false },
    };
    const { probe } = recordedServerProbe(theirs, true);
    const found = await unlessMissing(async () => ({ value: await find(probe, client) }));
    if (found && sent === pool) pool.splice(0, pool.length, ...theirs.pool);
    return found && { ...found, isDoubtful: theirs.marks.doubtful };
  }

  const { probe, used } = createServerProbe(session, caseId);
  return { probe: hiding({ ...probe, shared }, ["responses", "issued"]), used };
}
