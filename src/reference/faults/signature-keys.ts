import { posix } from "node:path";

import {
  compactVerify,
  createLocalJWKSet,
  importJWK,
  importSPKI,
  importX509,
  type CryptoKey,
  type JSONWebKeySet,
  type JWK,
} from "jose";

import type { Call } from "../model.ts";
import { keyNamed, parse, pem, type Received, verifiesHmac } from "../received.ts";
import { accepts, type Faults, ownedBy } from "./fault.ts";

/** Faults of check 1: the signature is verified with a key that the sender knows or chooses. */
export const SIGNATURE_KEY_FAULTS: Faults = ownedBy("receiver.signature", {
  "hmac-by-public-key": accepts({
    title: "Verifies an HMAC with the public key in PEM as secret",
    how: "One function verifies every algorithm, with the one configured key.",
    source: "CVE-2016-10555",
    when: (token, call) => {
      const key = keyNamed(token, call);
      return key !== undefined && verifiesHmac(token, pem(key));
    },
  }),
  "hmac-by-jwk": accepts({
    title: "Verifies an HMAC with the text of the JWK as secret",
    how: "The code treats a value that is not a key object as a secret and converts it to text.",
    source: "CVE-2026-22817",
    when: (token, call) => verifiesHmac(token, JSON.stringify(keyNamed(token, call)) ?? ""),
  }),
  "hmac-by-empty-key": accepts({
    title: "Verifies an HMAC with an unknown `kid` with the empty secret",
    how: "The key lookup returns an empty string if it finds none.",
    source: "CVE-2026-44351",
    when: (token, call) => !keyNamed(token, call) && verifiesHmac(token, ""),
  }),
  "hmac-by-default-secret": accepts({
    title: "Verifies an HMAC with the secret of a tutorial",
    how: "The first version used a shared secret, and its configuration still has a default for it.",
    when: (token) => verifiesHmac(token, "secret"),
  }),
  "jwk-trusted": accepts({
    title: "Trusts the key in `jwk`",
    how: "The library uses the key in the header if there is one, unless it is configured otherwise.",
    source: "CVE-2018-0114",
    when: ({ header }, call) => verifiesWith(call, () => importJWK(header["jwk"] as JWK)),
  }),
  "x5c-trusted": accepts({
    title: "Trusts the certificate in `x5c`",
    how: "The code reads the chain for its key, and does not check who issued it.",
    when: ({ header }, call) =>
      verifiesWith(call, () => importX509(certificate(header["x5c"]), String(header["alg"]))),
  }),
  "jku-trusted": accepts({
    title: "Trusts the keys at the URL in `jku`",
    how: "The token says where its issuer's keys are, and the code fetches them there.",
    when: ({ header }, call) => verifiesWith(call, () => keyAt(header["jku"], header, call)),
  }),
  "jku-with-issuer-trusted": accepts({
    title: "Trusts the keys at the URL in `jku` if it contains the issuer's URL",
    how: "The list of trusted URLs is searched with `includes`.",
    when: ({ header }, call) =>
      String(header["jku"]).includes(call.receiver.issuer) &&
      verifiesWith(call, () => keyAt(header["jku"], header, call)),
  }),
  "x5u-trusted": accepts({
    title: "Trusts the certificate at the URL in `x5u`",
    how: "As with `jku`, but for certificates.",
    when: ({ header }, call) =>
      verifiesWith(call, async () =>
        importX509(await fetchText(header["x5u"], call), String(header["alg"])),
      ),
  }),
  "kid-as-url": accepts({
    title: "Trusts the key at the URL in `kid`",
    how: "Some issuers use URLs as `kid`, which makes the lookup short.",
    when: ({ header }, call) =>
      verifiesWith(call, async () =>
        importSPKI(await fetchText(header["kid"], call), String(header["alg"])),
      ),
  }),
  "kid-as-path": accepts({
    title: "Reads the secret of an HMAC from the file that `kid` names",
    how: "Each key is a file in a folder, and `kid` is joined to the path of the folder.",
    when: (token) => {
      const file = posix.resolve("/etc/receiver/keys", String(token.header["kid"]));
      return file === "/dev/null" && verifiesHmac(token, "");
    },
  }),
  "kid-in-sql": accepts({
    title: "Selects the secret of an HMAC by a query that contains `kid`",
    how: "Keys are in a table, and the query is concatenated from text.",
    when: (token) => {
      const query = `SELECT secret FROM keys WHERE kid = '${String(token.header["kid"])}'`;
      const selected = /' UNION SELECT '([^']*)' -- '$/.exec(query)?.[1];
      return selected !== undefined && verifiesHmac(token, selected);
    },
  }),
  "kid-inherited": accepts({
    title: "Accepts the name of a member that every object has in `kid`",
    how: "Keys are in an object that is read as `keys[kid]`, and any result is converted to text.",
    when: (token) => {
      const keys: Readonly<Record<string, { toString(): string } | undefined>> = {};
      const found = keys[String(token.header["kid"])];
      return found !== undefined && verifiesHmac(token, found.toString());
    },
  }),
});

/** Whether a call's token verifies under a key that is found; not where finding it throws. */
export async function verifiesWith(
  call: Call,
  find: () => Promise<CryptoKey | Uint8Array>,
): Promise<boolean> {
  try {
    await compactVerify(call.token ?? "", await find());
    return true;
  } catch {
    return false;
  }
}

function certificate(chain: unknown): string {
  const [first] = chain as string[];
  return `-----BEGIN CERTIFICATE-----\n${first}\n-----END CERTIFICATE-----`;
}

/**
 * The key that a token's header selects of a JWKS.
 * @param url where the JWKS is, as the token says
 * @throws where it cannot be fetched from this machine, is no JWKS, or has no such key
 */
export async function keyAt(
  url: unknown,
  header: Received["header"],
  call: Call,
): Promise<CryptoKey> {
  const find = createLocalJWKSet(parse(await fetchText(url, call)) as JSONWebKeySet);
  return find({ ...header, alg: String(header["alg"]) });
}

/** Fetches a URL on this machine, and on no other. Throws if nothing is there. */
export async function fetchText(url: unknown, { receiver }: Call): Promise<string> {
  const { hostname } = new URL(String(url));
  if (!["127.0.0.1", "localhost", "[::1]"].includes(hostname)) {
    throw new TypeError(`${hostname} is not this machine`);
  }
  return (await receiver.fetch(String(url), { signal: AbortSignal.timeout(2000) })).text();
}
