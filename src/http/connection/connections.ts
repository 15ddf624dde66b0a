import { type Dispatcher, Pool } from "undici";

import type { HttpRequest } from "../exchange.ts";
import type { Origin } from "../origin.ts";
import { connectAhead } from "./ahead.ts";
import { connectorFor } from "./connector.ts";
import { passingOverInterim } from "./interim.ts";
import { needsRawSocket, sendingRaw } from "./raw.ts";

const MAX_HEADER_BYTES = 64 * 1024;

/** The connections to a target. */
export interface Connections {
  /**
   * What sends a request: on the connection that it names, on one of its own, or on one that is kept alive.
   * @param keeps see `Transport.transmit`
   */
  dispatcherFor(request: HttpRequest, keeps: boolean): Dispatcher;
  /** To be called when a request was answered. */
  noteAnswer(by: Dispatcher): void;
  close(): Promise<void>;
}

/**
 * Creates the connections to a target: at most `most` kept-alive ones that requests share, and a
 * new one for each request that must not be sent twice, because the server may close a kept-alive
 * connection while a request is sent, and nobody could tell whether the request arrived. The next connection of either kind is
 * opened ahead where the server keeps connections alive, so that it serves others while one is idle.
 * @throws SuiteError as `connectorFor` does
 */
export function createConnections(target: Origin, most: number): Connections {
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
    connections: most,
    connect(options, callback) {
      keptAlive.opened++;
      ahead.connect(options, callback);
    },
  });
  const own = create({ pipelining: 0, connect: ahead.connect });
  const named = new Map<string, Dispatcher>();
  const raw: Dispatcher[] = [];
  return {
    dispatcherFor(request, keeps) {
      const { connection: name } = request;
      if (needsRawSocket(request.headers)) {
        const sending = sendingRaw(connect, target.origin, request);
        const one = create({ pipelining: 0, connect: passingOverInterim(sending) });
        raw.push(one);
        return one;
      }
      if (name === undefined) return keeps ? kept : own;
      const known = named.get(name) ?? create({ connections: 1, connect: passing });
      named.set(name, known);
      return known;
    },
    noteAnswer(by) {
      if (by === kept) keptAlive.answers++;
    },
    async close() {
      ahead.close();
      const all = [kept, own, ...named.values(), ...raw];
      await Promise.all(all.map((one) => one.destroy()));
    },
  };
}
