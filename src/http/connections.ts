import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";

import { SuiteError } from "../lib/errors.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import type { Origin } from "./origin.ts";
import { tlsOptions } from "./tls.ts";

const MAX_HEADER_BYTES = 64 * 1024;

/** The connections to a target. */
export interface Dispatchers {
  /** Connections that are kept alive. */
  readonly kept: Dispatcher;
  /** A connection for each request. */
  readonly own: Dispatcher;
  close(): Promise<void>;
}

/**
 * Creates the connections to a target: at most `connections` kept-alive ones that requests share, and a
 * new one for each request that must not be sent twice, because the server may close a kept-alive
 * connection while a request is sent, and nobody could tell whether the request arrived. The proxy
 * variables of the environment apply, except to this machine.
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
  const common = { maxHeaderSize: MAX_HEADER_BYTES, connect: tls };
  const create = (more: Agent.Options): Dispatcher => {
    if (target.refused !== undefined) return new Agent({ connect: refusing(target.refused) });
    return isLoopbackHost(new URL(target.origin).hostname)
      ? new Agent({ ...common, ...more })
      : createProxied({ ...common, ...more, requestTls: tls });
  };
  const kept = create({ connections });
  const own = create({ pipelining: 0 });
  return {
    kept,
    own,
    async close() {
      await Promise.all([kept.destroy(), own.destroy()]);
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
