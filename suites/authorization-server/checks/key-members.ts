import { createPublicKey, type JsonWebKey, type KeyObject, X509Certificate } from "node:crypto";

import { passUnless, violation } from "../../../src/authorization-server/finding.ts";
import type { ServerProbe } from "../../../src/authorization-server/probe.ts";
import type { KeySet } from "../../../src/authorization-server/protocol/key-set.ts";
import { counted } from "../../../src/lib/words.ts";
import { Finding } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";

// What the members of the published keys say, whichever tokens they are for.

type Key = KeySet["keys"][number];

const SHORTEST_RSA_BITS = 2048;
/** The bytes of a coordinate by curve, RFC 7518 section 6.2.1.2. */
const COORDINATE_BYTES: Readonly<Record<string, number>> = {
  "P-256": 32,
  "P-384": 48,
  "P-521": 66,
};

export async function judgeWeak(probe: ServerProbe): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  const evidence = { probes: [exchange] };
  for (const { kty, n } of keys) {
    if (kty !== "RSA" || typeof n !== "string") continue;
    const bits = bitsOf(Buffer.from(n, "base64url"));
    if (bits >= SHORTEST_RSA_BITS) continue;
    const expected = phrase`${SHORTEST_RSA_BITS} bits or more`;
    return violation(phrase`a key has ${bits} bits`, expected, evidence);
  }
  return Finding.pass(evidence);
}

/** Judges that the numbers of each key are written as RFC 7518 section 6 says. */
export async function judgeIntegers(probe: ServerProbe): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  const evidence = { probes: [exchange] };
  for (const { kty, crv, n, e, x, y } of keys) {
    const size = COORDINATE_BYTES[String(crv)];
    const numbers = { RSA: { n, e }, EC: size === undefined ? {} : { x, y } }[String(kty)] ?? {};
    for (const [name, value] of Object.entries(numbers)) {
      const actual =
        typeof value === "string" && numberFault(value, kty === "EC" ? size : undefined);
      if (!actual) continue;
      const expected =
        kty === "EC"
          ? phrase`base64url of a coordinate in its full length, RFC 7518 section 6.2.1`
          : phrase`Base64urlUInt, RFC 7518 section 2`;
      return violation(phrase`\`${name}\` of a key ${actual}`, expected, evidence);
    }
  }
  return Finding.pass(evidence);
}

/**
 * How a number differs from what it has to be, as a phrase; `undefined` where it does not.
 * @param size its length in bytes; without one it is as short as possible
 */
function numberFault(text: string, size: number | undefined): string | undefined {
  if (text.includes("=")) return "is padded";
  if (!/^[\w-]+$/.test(text)) return "is not base64url";
  const bytes = Buffer.from(text, "base64url");
  if (size !== undefined)
    return bytes.length === size
      ? undefined
      : `has ${counted(bytes.length, "byte")} in place of ${size}`;
  return bytes.length > 1 && bytes[0] === 0 ? "begins with a zero byte" : undefined;
}

/** Judges that the first certificate of each key is one, and of the same key. */
export async function judgeCertificate(probe: ServerProbe): Promise<Finding> {
  const { keys, exchange } = await probe.keySet();
  const certified = keys.filter(({ x5c }) => x5c !== undefined);
  if (certified.length === 0) return Finding.notApplicable(phrase`no key has a certificate`);
  const fault = certified.map(certificateFault).find(Boolean);
  const actual = fault === undefined ? undefined : phrase`${fault}`;
  const expected = phrase`x5c is an array of base64 DER certificates, the first of which has the key`;
  return passUnless(actual, expected, { probes: [exchange] });
}

/** What is wrong with the `x5c` of a key, as a phrase; `undefined` where nothing is. */
function certificateFault({ x5c, ...key }: Key): string | undefined {
  const [first] = Array.isArray(x5c) ? (x5c as unknown[]) : [];
  if (typeof first !== "string") return "x5c is not an array of strings";
  if (!/^[A-Za-z\d+/\s]+=*\s*$/.test(first)) return "the certificate is not base64";
  const certificate = certificateIn(first);
  if (!certificate) return "x5c has no certificate that can be read";
  const published = publicKeyOf(key);
  // Another case judges a key that cannot be read.
  return !published || isSameKey(certificate.publicKey, published)
    ? undefined
    : "the certificate is of another key";
}

/** A certificate may say that its RSA key is for RSASSA-PSS alone, RFC 4055 section 1.2. A JWK says that by `alg`. */
function isSameKey(certified: KeyObject, published: KeyObject): boolean {
  if (certified.asymmetricKeyType !== "rsa-pss" || published.asymmetricKeyType !== "rsa") {
    return certified.equals(published);
  }
  const numbers = published.export({ type: "pkcs1", format: "der" });
  return certified
    .export({ type: "spki", format: "der" })
    .subarray(-numbers.length)
    .equals(numbers);
}

function certificateIn(base64: string): X509Certificate | undefined {
  try {
    return new X509Certificate(Buffer.from(base64, "base64"));
  } catch {
    return undefined;
  }
}

function publicKeyOf({ kty, crv, x, y, n, e }: Key): KeyObject | undefined {
  try {
    return createPublicKey({ key: { kty, crv, x, y, n, e } as JsonWebKey, format: "jwk" });
  } catch {
    return undefined;
  }
}

function bitsOf(modulus: Buffer): number {
  const at = modulus.findIndex((byte) => byte !== 0);
  return at < 0 ? 0 : (modulus.length - at - 1) * 8 + (32 - Math.clz32(modulus[at] ?? 0));
}
