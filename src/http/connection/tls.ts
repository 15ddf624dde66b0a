import type { buildConnector } from "undici";

import type { Origin } from "../origin.ts";

/** Node's module, loaded by the first target that needs it: loading it parses every certificate that Node trusts. */
function tls(): typeof import("node:tls") {
  return process.getBuiltinModule("node:tls");
}

/** TLS options: the certificate authorities to trust, and the client certificate. */
export function tlsOptions({ ca, cert, key }: Pick<Origin["request"], "ca" | "cert" | "key">): {
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
export function endingWithAlert(connect: buildConnector.connector): buildConnector.connector {
  return (options, callback) =>
    connect(options, (...opened) => {
      const [, socket] = opened;
      socket?.once("error", (error) => socket.destroy(error));
      callback(...opened);
    });
}
