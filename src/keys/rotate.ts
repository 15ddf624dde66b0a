import { ALGORITHMS, type Jwk } from "./algorithms.ts";
import { newKey } from "./generate.ts";
import { publicMembers } from "./jwks-file.ts";
import { type KeyServer, publishKeys } from "./serve.ts";

/** A key pair of the test issuer that is in no file. */
export interface PublishedKey {
  readonly kid: string;
  readonly alg: string;
  /** Never to be recorded. */
  readonly privateJwk: Jwk;
  readonly publicJwk: Jwk;
}

/** The test issuer's JWK Set while a run publishes it. */
export interface KeyRotation extends KeyServer {
  /** Makes a key for an algorithm, and publishes it beside the others. */
  add(alg: string): Promise<PublishedKey>;
  /** Takes a key out of what is published. */
  withdraw(kid: string): void;
}

/**
 * Publishes the test issuer: its JWK Set, and metadata that names it.
 * @param address an http URL, whose host and port are listened on
 * @param issuer the `iss` of its tokens
 * @param keys the public keys to begin with
 * @throws {SuiteError} when the address cannot be listened on
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
    // A test issuer may have a name that is no URL; there is no path to publish it below then.
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
