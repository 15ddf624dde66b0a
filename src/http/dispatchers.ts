import { Agent, type Dispatcher, EnvHttpProxyAgent } from "undici";

import { isLoopbackHost } from "../profile/loopback.ts";
import type { Target } from "../profile/target.ts";

const MAX_HEADER_BYTES = 64 * 1024;

export interface Dispatchers {
  readonly reads: Dispatcher;
  readonly writes: Dispatcher;
  close(): Promise<void>;
}

/**
 * Connections to a target: reads share kept-alive ones; each write has its own, because a kept one
 * may be closed just as the write is sent, and nobody could tell whether it arrived.
 * The proxy variables of the environment are honoured, except towards this machine.
 */
export function createDispatchers(target: Target): Dispatchers {
  const { ca, timeoutMs } = target.request;
  const tls = { timeout: timeoutMs, ...(ca !== undefined && { ca }) };
  const common = { maxHeaderSize: MAX_HEADER_BYTES, connect: tls };
  const create = (pipelining: number): Dispatcher =>
    isLoopbackHost(new URL(target.origin).hostname)
      ? new Agent({ ...common, pipelining })
      : new EnvHttpProxyAgent({ ...common, pipelining, requestTls: tls });
  const reads = create(1);
  const writes = create(0);
  return {
    reads,
    writes,
    async close() {
      await Promise.all([reads.destroy(), writes.destroy()]);
    },
  };
}
