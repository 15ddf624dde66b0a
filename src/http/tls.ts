import { rootCertificates } from "node:tls";

import type { Origin } from "./origin.ts";

/** Whom the suite trusts in TLS besides the usual authorities, and what it shows of itself. */
export function tlsOptions({ ca, cert, key }: Origin["request"]): {
  ca?: string[];
  cert?: string;
  key?: string;
} {
  return {
    // Node takes a list in place of its own.
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
    ...(cert !== undefined && key !== undefined && { cert, key }),
  };
}
