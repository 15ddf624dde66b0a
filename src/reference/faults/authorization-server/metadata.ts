import type { Fault } from "../fault.ts";

/** Faults of what the server publishes of itself: metadata and keys. */
export const METADATA_FAULTS: readonly Fault[] = [
  {
    name: "server-metadata-other-issuer",
    title: "Names another issuer in its metadata than the one that it is asked for",
    rule: "authorization-server.metadata",
    how: "Behind a gateway the server takes its own name for that of the deployment.",
    step: "publishedMetadata",
    patch: () => (metadata) => ({ ...metadata, issuer: "http://internal.example.com" }),
  },
  {
    name: "server-metadata-lists-no-grant",
    title: "Does not list client credentials among its grants",
    rule: "authorization-server.metadata",
    how: "The list is written by hand, and the flow came later.",
    step: "publishedMetadata",
    patch: () => (metadata) => ({ ...metadata, grant_types_supported: ["authorization_code"] }),
  },
  {
    name: "server-keys-private",
    title: "Publishes a key with its private members",
    rule: "authorization-server.keys",
    how: "The key is exported as it is kept.",
    source: "onc g10-test-kit#123",
    step: "publishedKeys",
    patch: () => (keys) => ({ keys: keys.keys.map((key) => ({ ...key, d: "AQAB" })) }),
  },
  {
    name: "server-keys-symmetric",
    title: "Publishes a symmetric key beside the others",
    rule: "authorization-server.keys",
    how: "All keys of the store are published, whatever they are for.",
    step: "publishedKeys",
    patch: () => (keys) => ({ keys: [...keys.keys, { kty: "oct", kid: "s", k: "c2VjcmV0" }] }),
  },
  {
    name: "server-keys-another",
    title: "Publishes another key than the one that it signs with",
    rule: "authorization-server.keys",
    how: "The key was rotated, and the JWKS is of the one before.",
    source: "toolhive#6451",
    step: "publishedKeys",
    patch: () => (keys) => ({
      keys: keys.keys.map((key) => ({
        ...key,
        kid: "former",
        // Whatever it begins with, another.
        n: (key["n"] ?? "").replace(/^./, (first) => (first === "u" ? "v" : "u")),
      })),
    }),
  },
];
