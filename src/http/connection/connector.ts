import { buildConnector } from "undici";

import type { Origin } from "../origin.ts";
import { proxyFor } from "../proxies.ts";
import { lookupFor, NOT_PUBLIC } from "./addresses.ts";
import { tunnelThrough } from "./tunnel.ts";

/**
 * What opens every connection to a target: directly, or through the proxy that the environment names.
 * @throws SuiteError when the proxy variables are unusable, or the target may not be connected to;
 * see `lookupFor`
 */
export function connectorFor(target: Origin): buildConnector.connector {
  if (target.refused !== undefined) return refusing(target.refused);
  const { timeoutMs, ca } = target.request;
  const lookup = lookupFor(target);
  const direct = endingWithAlert(
    buildConnector({
      timeout: timeoutMs,
      ...tlsOptions(target.request),
      ...(lookup && { lookup }),
    }),
  );
  const proxy = proxyFor(target.origin);
  if (!proxy) return direct;
  // The client certificate is for the target alone.
  const toProxy = buildConnector({ timeout: timeoutMs, ...tlsOptions({ ca }) });
  return tunnelThrough(proxy, toProxy, direct, timeoutMs);
}

/** Refuses every connection. */
function refusing(message: string): buildConnector.connector {
  return (_options, callback) =>
    callback(Object.assign(new Error(message), { code: NOT_PUBLIC }), null);
}

/** Node's module, loaded by the first target that needs it: loading it parses every certificate that Node trusts. */
function tls(): typeof import("node:tls") {
  return process.getBuiltinModule("node:tls");
}

/** TLS options: the certificate authorities to trust, and the client certificate. */
function tlsOptions({ ca, cert, key }: Pick<Origin["request"], "ca" | "cert" | "key">): {
  ca?: string[];
  cert?: string;
  key?: string;
} {
  return {
    // Node's `ca` option replaces its own list.
    ...(ca !== undefined && { ca: [...tls().rootCertificates, ca] }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}

/**
 * Ends a connection with its first error. A server that refuses a client certificate sends an alert after the handshake, and
 * undici would report only that the connection was closed after it.
 */
function endingWithAlert(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...opened) => {
      const [, socket] = opened;
      socket?.once("error", (error) => socket.destroy(error));
      callback(...opened);
    });
}
