import { buildConnector, type Dispatcher, EnvHttpProxyAgent, Pool } from "undici";

import { SuiteError } from "../../lib/errors.ts";
import type { Origin } from "../origin.ts";
import { mayBeProxied } from "../proxies.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import { connectAhead } from "./ahead.ts";
import { tlsOptions } from "./tls.ts";

const MAX_HEADER_BYTES = 64 * 1024;

/** The connections to a target. */
export interface Dispatchers {
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
 * opened ahead where the server keeps connections alive, so that it serves others while one is idle. The proxy variables of
 * the environment apply, except to this machine.
 * @throws SuiteError when the proxy variables are unusable, or the target may not be connected to;
 * see `lookupFor`
 */
export function createDispatchers(target: Origin, connections: number): Dispatchers {
  const lookup = target.refused === undefined ? lookupFor(target) : undefined;
  const tls = {
    timeout: target.request.timeoutMs,
    ...tlsOptions(target.request),
    ...(lookup && { lookup }),
  };
  const connect = buildConnector(tls);
  const keptAlive = { opened: 0, answers: 0 };
  // More answers than connections: one connection has carried two requests.
  const ahead = connectAhead(connect, () => keptAlive.answers > keptAlive.opened);
  const create = (options: Pool.Options): Dispatcher => {
    if (target.refused !== undefined) {
      return new Pool(target.origin, { connect: refusing(target.refused) });
    }
    const all = { ...options, maxHeaderSize: MAX_HEADER_BYTES };
    // undici's agents keep no connection alive any more once the last one has been closed while a request waited
    // (nodejs/undici issue 5022). A pool does.
    return mayBeProxied(target.origin)
      ? createProxied({ ...all, requestTls: tls })
      : new Pool(target.origin, all);
  };
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
    kept,
    own,
    named(name) {
      const known = named.get(name) ?? create({ connections: 1, connect });
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

/** Refuses every connection. */
function refusing(message: string): buildConnector.connector {
  return (_options, callback) =>
    callback(Object.assign(new Error(message), { code: NOT_PUBLIC }), null);
}

function createProxied(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    // The variables may hold a password, so the message does not show them.
    throw new SuiteError("ERR_PROXY", "The proxy variables of the environment cannot be used", {
      hint: "HTTP_PROXY and HTTPS_PROXY are URLs such as http://proxy.example:3128; NO_PROXY is a list of hosts.",
      cause,
    });
  }
}
