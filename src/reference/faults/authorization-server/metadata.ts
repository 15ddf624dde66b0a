import type { JSONWebKeySet, JWK } from "jose";

import { type Faults, ownedBy } from "../fault.ts";

/** Faults of the metadata and keys that the server publishes. */
export const METADATA_FAULTS: Faults = ownedBy("authorization-server.keys", {
  "server-keys-bare": {
    title: "Publishes its keys as an array",
    how: "The endpoint returns the list of keys as the database holds it.",
    publishedKeys: () => (jwks) => jwks.keys as unknown as typeof jwks,
  },
  "server-metadata-other-issuer": {
    title: "Publishes metadata that names another issuer than the requested one",
    rule: "authorization-server.metadata",
    how: "Behind a gateway, the server uses its own name in place of the deployment's.",
    publishedMetadata: () => (metadata) => ({ ...metadata, issuer: "http://internal.example.com" }),
  },
  "server-metadata-lists-no-grant": {
    title: "Omits client credentials from the list of its grants",
    rule: "authorization-server.metadata",
    how: "The list is maintained by hand, and the flow was added later.",
    publishedMetadata: () => (metadata) => ({
      ...metadata,
      grant_types_supported: ["authorization_code"],
    }),
  },
  "server-metadata-without-response-types": {
    title: "Omits the list of response types from its metadata",
    rule: "authorization-server.metadata",
    how: "The document is written by hand, with the endpoints only.",
    source: "RFC 8414 section 2",
    publishedMetadata: () => (metadata) => ({ ...metadata, response_types_supported: undefined }),
  },
  "server-keys-private": {
    title: "Publishes a key with its private members",
    how: "The key is exported in the form in which it is stored.",
    source: "onc g10-test-kit#123",
    publishedKeys: withEachKey(() => ({ d: "AQAB" })),
  },
  "server-keys-symmetric": {
    title: "Publishes a symmetric key beside the others",
    how: "The server publishes every key of the store, whatever its purpose.",
    publishedKeys: () => (keys) => ({
      keys: [...keys.keys, { kty: "oct", kid: "s", k: "c2VjcmV0" }],
    }),
  },
  "server-keys-for-encryption": {
    title: "Publishes its signing key as one for encryption",
    how: "The key was made with the settings of another purpose, which the server itself does not read.",
    source: "RFC 7517 section 4.2",
    publishedKeys: withEachKey(() => ({ use: "enc" })),
  },
  "server-keys-zero-byte": {
    title: "Publishes RSA keys whose modulus begins with a zero byte",
    how: "The library returns numbers with a sign, as Java's `BigInteger.toByteArray` does.",
    source: "RFC 7518 section 6.3.1.1",
    publishedKeys: withEachKey(({ n = "" }) => ({
      n: Buffer.concat([Buffer.alloc(1), Buffer.from(n, "base64url")]).toString("base64url"),
    })),
  },
  "server-keys-padded": {
    title: "Publishes RSA keys in base64 with padding",
    how: "The numbers are encoded by a function for base64, and only its characters are replaced.",
    source: "RFC 7515 section 2",
    publishedKeys: withEachKey(({ n = "" }) => ({
      n: n.padEnd(Math.ceil(n.length / 4) * 4, "="),
    })),
  },
  "server-keys-certificate-as-text": {
    title: "Publishes its certificate in PEM in `x5c`",
    how: "The file is put into the JWKS as it is, with its first and last line.",
    source: "RFC 7517 section 4.7",
    publishedKeys: withEachKey(() => ({
      x5c: ["-----BEGIN CERTIFICATE-----\nMIIB\n-----END CERTIFICATE-----\n"],
    })),
  },
  "server-metadata-as-text": {
    title: "Serves its metadata as plain text",
    rule: "authorization-server.metadata",
    how: "The document is a file without an extension, for which a web server knows no type.",
    source: "RFC 8414 section 3.2",
    metadataType: () => () => "text/plain",
  },
  "server-keys-another": {
    title: "Publishes a key other than its signing key",
    how: "The key was rotated, and the JWKS still has the previous one.",
    source: "toolhive#6451",
    publishedKeys: withEachKey(({ n = "" }) => ({
      kid: "former",
      // Replaces the first character by a different one.
      n: n.replace(/^./, (first) => (first === "u" ? "v" : "u")),
    })),
  },
});

/** The patch that changes some members of every published key. */
function withEachKey(
  members: (key: JWK) => Partial<JWK>,
): () => ({ keys }: JSONWebKeySet) => JSONWebKeySet {
  return () =>
    ({ keys }) => ({ keys: keys.map((key) => ({ ...key, ...members(key) })) });
}
