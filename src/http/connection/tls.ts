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
