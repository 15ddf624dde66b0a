import { ALGORITHMS, type Jwk } from "./algorithms.ts";
import { newKey } from "./generate.ts";
import { publicMembers } from "./jwks-file.ts";
import { type KeyServer, publishKeys } from "./serve.ts";

/** A key pair of the test issuer that exists only in memory. */
export interface PublishedKey {
  readonly kid: string;
  readonly alg: string;
  /** Must never be recorded. */
  readonly privateJwk: Jwk;
  readonly publicJwk: Jwk;
}

/** The test issuer's JWK Set while a run publishes it. */
export interface KeyRotation extends KeyServer {
  /** Makes a key and adds it to the published set. Throws TypeError for an unknown algorithm. */
  add(alg: string): Promise<PublishedKey>;
  /** Removes a key from the published set. */
  withdraw(kid: string): void;
}

/**
 * Publishes the test issuer's JWK Set, and metadata that points to it.
 * @param address an http URL; the server listens on its host and port
 * @param issuer the `iss` of its tokens
 * @param keys the initial public keys
 * @throws {SuiteError} when the suite cannot listen on the address
 */
export async function openRotation(
  address: string,
  issuer: string,
  keys: readonly Readonly<Record<string, unknown>>[],
): Promise<KeyRotation> {
  const { hostname, port } = new URL(address);
  const published = new Map(keys.map((jwk) => [jwk["kid"], jwk as Jwk]));
  const server = await publishKeys(() => [...published.values()], {
    host: hostname.replace(/^\[|\]$/g, ""),
    port: Number(port || 80),
    // A test issuer's name need not be a URL. Then it has no path to publish metadata at.
    issuer: URL.canParse(issuer) ? issuer : undefined,
    hint: "testIssuer.serve in the profile names it.",
  });
  return {
    url: server.url,
    get fetches() {
      return server.fetches;
    },
    close: server.close,
    async add(alg) {
      const known = ALGORITHMS.find((one) => one === alg);
      if (!known) throw new TypeError(`no keys can be made for ${alg}`);
      const privateJwk = await newKey(known);
      const publicJwk = publicMembers(privateJwk);
      published.set(privateJwk.kid, publicJwk);
      return { kid: privateJwk.kid, alg, privateJwk, publicJwk };
    },
    withdraw(kid) {
      published.delete(kid);
    },
  };
}
