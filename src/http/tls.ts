import { rootCertificates } from "node:tls";

import type { Origin } from "./origin.ts";

/** TLS options: the certificate authorities to trust, and the client certificate. */
export function tlsOptions({ ca, cert, key }: Origin["request"]): {
  ca?: string[];
  cert?: string;
  key?: string;
} {
  return {
    // Node's `ca` option replaces its own list.
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}
