import { type buildConnector, type Dispatcher, Pool } from "undici";

import type { Origin } from "../origin.ts";
import { connectAhead } from "./ahead.ts";
import { connectorFor } from "./connector.ts";
import { passingOverInterim } from "./interim.ts";

const MAX_HEADER_BYTES = 64 * 1024;

/** The connections to a target. */
export interface Dispatchers {
  /** Opens a connection that only its caller uses. Interim responses arrive on it. */
  readonly connect: buildConnector.connector;
  /** Connections that are kept alive. */
  readonly kept: Dispatcher;
  /** To be called when a request on a kept-alive connection was answered. */
  noteKeptAnswer(): void;
  /** A connection for each request. */
  readonly own: Dispatcher;
  /** The connection of a name, which is kept alive; see `HttpRequest.connection`. */
  named(name: string): Dispatcher;
  close(): Promise<void>;
}

/**
 * Creates the connections to a target: at most `connections` kept-alive ones that requests share, and a
 * new one for each request that must not be sent twice, because the server may close a kept-alive
 * connection while a request is sent, and nobody could tell whether the request arrived. The next connection of either kind is
 * opened ahead where the server keeps connections alive, so that it serves others while one is idle.
 * @throws SuiteError as `connectorFor` does
 */
export function createDispatchers(target: Origin, connections: number): Dispatchers {
  const connect = connectorFor(target);
  const keptAlive = { opened: 0, answers: 0 };
  // More answers than connections: one connection has carried two requests.
  const passing = passingOverInterim(connect);
  const ahead = connectAhead(passing, () => keptAlive.answers > keptAlive.opened);
  // undici's agents keep no connection alive any more once the last one has been closed while a request waited
  // (nodejs/undici issue 5022). A pool does.
  const create = (options: Pool.Options): Dispatcher =>
    new Pool(target.origin, { ...options, maxHeaderSize: MAX_HEADER_BYTES });
  const kept = create({
    connections,
    connect(options, callback) {
      keptAlive.opened++;
      ahead.connect(options, callback);
    },
  });
  const own = create({ pipelining: 0, connect: ahead.connect });
  const named = new Map<string, Dispatcher>();
  return {
    connect,
    kept,
    own,
    named(name) {
      const known = named.get(name) ?? create({ connections: 1, connect: passing });
      named.set(name, known);
      return known;
    },
    noteKeptAnswer() {
      keptAlive.answers++;
    },
    async close() {
      ahead.close();
      await Promise.all([kept, own, ...named.values()].map((one) => one.destroy()));
    },
  };
}
