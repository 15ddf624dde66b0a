import { Agent, type buildConnector, type Dispatcher, EnvHttpProxyAgent } from "undici";

import { SuiteError } from "../lib/errors.ts";
import { isLoopbackHost } from "../lib/loopback.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import type { Origin } from "./origin.ts";
import { tlsOptions } from "./tls.ts";

const MAX_HEADER_BYTES = 64 * 1024;

export interface Dispatchers {
  readonly reads: Dispatcher;
  readonly writes: Dispatcher;
  close(): Promise<void>;
}

/**
 * Connections to a target: reads share kept-alive ones, at most `connections`; each write has its own, because a kept one
 * may be closed just as the write is sent, and nobody could tell whether it arrived.
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
  const create = (own: Agent.Options): Dispatcher => {
    if (target.refused !== undefined) return new Agent({ connect: refusing(target.refused) });
    return isLoopbackHost(new URL(target.origin).hostname)
      ? new Agent({ ...common, ...own })
      : createProxied({ ...common, ...own, requestTls: tls });
  };
  const reads = create({ connections });
  const writes = create({ pipelining: 0 });
  return {
    reads,
    writes,
    async close() {
      await Promise.all([reads.destroy(), writes.destroy()]);
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
