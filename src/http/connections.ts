import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";

import { SuiteError } from "../lib/errors.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import type { Origin } from "./origin.ts";
import { tlsOptions } from "./tls.ts";

const MAX_HEADER_BYTES = 64 * 1024;

export interface Dispatchers {
  /** Connections that are kept alive. */
  readonly kept: Dispatcher;
  /** A connection for each request. */
  readonly own: Dispatcher;
  close(): Promise<void>;
}

/**
 * Connections to a target: at most `connections` that are kept alive and shared, and one of its own for each request that
 * must not be sent twice. A kept connection may be closed just as a request is sent, and nobody could tell whether it
 * arrived.
 * The proxy variables of the environment are honoured, except towards this machine.
 * @throws SuiteError when the proxy variables cannot be used, or the target may not be connected to; see `lookupFor`
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

/** Connects to nobody. */
function refusing(message: string): buildConnector.connector {
  return (_options, callback) =>
    callback(Object.assign(new Error(message), { code: NOT_PUBLIC }), null);
}

function createProxied(options: EnvHttpProxyAgent.Options): Dispatcher {
  try {
    return new EnvHttpProxyAgent(options);
  } catch (cause) {
    // Their values may carry a password.
    throw new SuiteError("ERR_PROXY", "The proxy variables of the environment cannot be used", {
      hint: "HTTP_PROXY and HTTPS_PROXY are URLs such as http://proxy.example:3128; NO_PROXY is a list of hosts.",
      cause,
    });
  }
}
