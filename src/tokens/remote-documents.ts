import { createPublicKey, type JsonWebKey } from "node:crypto";

import type { Served } from "../http/listener.ts";
import type { Target } from "../profile/target.ts";
import { foreignCertificate, foreignKey } from "./foreign-keys.ts";

/** Paths on the suite's listener that tokens refer to. */
export const REMOTE = {
  jwks: "/jwks.json",
  certificate: "/certificate.pem",
  publicKey: "/key.pem",
} as const;

/** Well-known paths of issuer metadata: RFC 8414 §3 and OpenID Connect Discovery 1.0 §4. */
const METADATA = ["/.well-known/oauth-authorization-server", "/.well-known/openid-configuration"];

/**
 * The documents that a deployment finds when it follows a URL in a token: the key that signed the
 * token, in each form that a token can refer to, and the metadata of an issuer that uses it.
 * @returns a function of a path on the listener and the URL of its place; `undefined` means 404
 */
export function remoteDocuments(target: Target): (path: string, url: string) => Served | undefined {
  const { alg, kid } = target.testIssuer.key;
  const foreign = foreignKey(alg);
  return (path, url) => {
    switch (path) {
      case REMOTE.jwks: {
        const keys = [kid, foreign.kid].map((name) => ({
          ...foreign.publicJwk,
          kid: name,
          alg,
          use: "sig",
        }));
        return { contentType: "application/json", body: JSON.stringify({ keys }) };
      }
      case REMOTE.certificate: {
        const lines = foreignCertificate(alg).match(/.{1,64}/g) ?? [];
        const pem = ["-----BEGIN CERTIFICATE-----", ...lines, "-----END CERTIFICATE-----", ""];
        return { contentType: "application/x-pem-file", body: pem.join("\n") };
      }
      case REMOTE.publicKey: {
        const key = createPublicKey({ key: foreign.publicJwk as JsonWebKey, format: "jwk" });
        const body = key.export({ type: "spki", format: "pem" }).toString();
        return { contentType: "application/x-pem-file", body };
      }
      default: {
        if (!METADATA.includes(path)) return undefined;
        const metadata = {
          issuer: url,
          jwks_uri: `${url}${REMOTE.jwks}`,
          token_endpoint: `${url}/token`,
          authorization_endpoint: `${url}/authorize`,
          response_types_supported: ["code"],
          subject_types_supported: ["public"],
          id_token_signing_alg_values_supported: [alg],
        };
        return { contentType: "application/json", body: JSON.stringify(metadata) };
      }
    }
  };
}
