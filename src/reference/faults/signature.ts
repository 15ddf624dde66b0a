import { constants, createHash, publicDecrypt } from "node:crypto";

import type { Call } from "../model.ts";
import { imported, keyNamed, type Received, take, verifies } from "../received.ts";
import { accepts } from "./accepts.ts";
import type { Fault, FaultWords } from "./fault.ts";

/** DigestInfo of SHA-256 and of SHA-1, up to the digest: RFC 8017 section 9.2. */
const SHA256_INFO = "3031300d060960864801650304020105000420";
const SHA1_INFO = "3021300906052b0e03021a05000414";

/** Faults of check 1 in how a signature is verified. */
export const SIGNATURE_FAULTS: readonly Fault[] = [
  accepts("alg-none-respelled-accepted", {
    title: "Wants no signature under `alg: None`, though it refuses `none`",
    how: "The refusal compares with the word none, and the look-up of algorithms ignores case.",
    source: "CVE-2015-9235",
    when: ({ header: { alg }, signature }) =>
      typeof alg === "string" &&
      alg !== "none" &&
      alg.toLowerCase() === "none" &&
      signature.length === 0,
  }),
  accepts("alg-missing-unsigned-accepted", {
    title: "Wants no signature of a token without `alg`",
    how: "A missing `alg` is given a default, and the default is none.",
    when: ({ header: { alg }, signature }) => !alg && signature.length === 0,
  }),
  accepts("alg-unknown-accepted", {
    title: "Does not look at a signature by an algorithm that it does not know",
    how: "A switch over the algorithms has no default, and what it leaves is taken for success.",
    when: ({ header: { alg } }, { receiver }) =>
      typeof alg === "string" &&
      /^[A-Z]{2}\d+$/.test(alg) &&
      !receiver.keys.algorithms.includes(alg),
  }),
  accepts("signature-empty-accepted", {
    title: "Does not verify an empty signature",
    how: "`if (signature && !verify(…)) reject`: where there is nothing to verify, nothing is wrong.",
    when: ({ segments }) => segments.length === 3 && segments[2] === "",
  }),
  accepts("signature-missing-accepted", {
    title: "Wants no signature of a token without third segment",
    how: "The token is split in as many parts as there are, and only a third one is verified.",
    when: ({ segments }) => segments.length === 2,
  }),
  accepts("signature-by-length", {
    title: "Takes any signature of the right length",
    how: "The comparison of both buffers was cut down to that of their lengths.",
    when: (token, call) => {
      const modulus = Buffer.from(keyNamed(token, call)?.n ?? "", "base64url");
      return token.header["alg"] === "RS256" && token.signature.length === modulus.length;
    },
  }),
  accepts("verification-not-awaited", {
    title: "Takes any signature once a key is found",
    how: "`if (verify(token, key))` is asked without `await`, and a promise is true.",
    when: (token, call) =>
      token.header["alg"] === keyNamed(token, call)?.alg && token.signature.length > 0,
  }),
  accepts("unknown-kid-unverified", {
    title: "Does not verify a token with an unknown `kid`",
    how: "The key that was not found is `undefined`, and the verifier skips what it has no key for.",
    when: (token, call) => token.header["kid"] !== undefined && !keyNamed(token, call),
  }),
  accepts("absent-kid-unverified", {
    title: "Does not verify a token without `kid`",
    how: "A filter in front looks the key up by `kid`, and passes on what has none.",
    when: ({ header, signature }) => header["kid"] === undefined && signature.length > 0,
  }),
  accepts("payload-reserialized", {
    title: "Verifies the signature over the payload as it was parsed and written again",
    how: "Claims are kept as an object, and the signing input is put together from it.",
    when: (token, call) => {
      const again = JSON.stringify(token.payload) ?? "";
      const input = `${token.segments[0]}.${Buffer.from(again).toString("base64url")}`;
      return verifies({ ...token, input }, call);
    },
  }),
  accepts("alg-ignored", {
    title: "Verifies the signature by the key's own algorithm, whatever `alg` says",
    how: "The receiver knows its algorithm and has no use for what the header states.",
    when: (token, call) => verifies(token, call, { alg: keyNamed(token, call)?.alg }),
  }),
  accepts("alg-in-any-case", {
    title: "Takes `alg` in any case",
    how: "Algorithms are looked up in a table whose names are compared without regard for case.",
    when: (token, call) => {
      const alg = keyNamed(token, call)?.alg;
      const same = String(token.header["alg"]).toLowerCase() === alg?.toLowerCase();
      return same && verifies(token, call, { alg });
    },
  }),
  accepts("alg-not-tied-to-key", {
    title: "Takes any algorithm that a key could be used with",
    how: "The keys are kept as PEM, which does not say what they are for.",
    source: "CVE-2026-22818",
    when: (token, call) => verifies(token, call, { alg: token.header["alg"] }),
  }),
  accepts("crit-ignored", {
    title: "Does not look at `crit`",
    how: "The library knows nothing of `crit`, as few tokens have it.",
    source: "CVE-2025-59420",
    when: (token, call) => token.header["b64"] === undefined && verifiesButFor("crit", token, call),
  }),
  accepts("crit-text-ignored", {
    title: "Does not look at a `crit` that is no array",
    how: "The list of extensions is gone through only where it is one; jsonwebtoken 9 does not look at all.",
    when: (token, call) =>
      typeof token.header["crit"] === "string" && verifiesButFor("crit", token, call),
  }),
  accepts("b64-false-ignored", {
    title: "Claims to understand `b64: false`, and decodes the payload all the same",
    how: "`b64` is on the library's list of extensions, which it was put on for detached signatures.",
    when: (token, call) => token.header["b64"] === false && verifiesButFor("crit", token, call),
  }),
  remembers("verification-remembered-by-payload", {
    title: "Remembers what it has verified by its payload, whatever the signature",
    how: "A cache of verified tokens has header and payload as its key.",
    source: "CVE-2026-35039",
    key: ({ input }) => input,
  }),
  remembers("verification-remembered-by-claims", {
    title: "Remembers what it has verified by its claims, whatever the header and the signature",
    how: "Parsed claims are kept in a cache, which is asked with the payload as it came.",
    key: ({ segments }) => segments[1] ?? "",
  }),
  remembers("verification-remembered-by-signature", {
    title: "Remembers what it has verified by its signature, whatever the claims",
    how: "A cache of verified tokens has the signature as its key, because that is shortest.",
    key: ({ signature }) => signature.toString("base64url"),
  }),
  accepts("ecdsa-zero-accepted", {
    title: "Takes an ECDSA signature of zeros for everything",
    how: "The verifier does not ask whether R and S are in range.",
    source: "CVE-2022-21449",
    when: (token, call) =>
      token.header["alg"] === "ES256" &&
      keyNamed(token, call)?.kty === "EC" &&
      token.signature.length === 64 &&
      token.signature.every((byte) => byte === 0),
  }),
  accepts("ecdsa-der-accepted", {
    title: "Takes an ECDSA signature in DER",
    how: "The library of the platform wants DER, and the conversion is left out where that is what came.",
    when: (token, call) =>
      token.header["alg"] === "ES256" && verifies(token, call, { dsaEncoding: "der" }),
  }),
  accepts("ecdsa-padded-accepted", {
    title: "Takes R and S of an ECDSA signature longer than they are",
    how: "The signature is cut in half, and each half is read as a number.",
    when: (token, call) => {
      const half = token.signature.length / 2;
      if (token.header["alg"] !== "ES256" || half <= 32) return false;
      const parts = [token.signature.subarray(0, half), token.signature.subarray(half)];
      const signature = Buffer.concat(parts.map((part) => part.subarray(-32)));
      return verifies({ ...token, signature }, call);
    },
  }),
  accepts("rsa-garbage-accepted", {
    title: "Does not look at bytes after the digest of an RSA signature",
    how: "The verifier parses the encoded message from the left and stops when it has the digest.",
    source: "CVE-2006-4339",
    when: (token, call) =>
      new RegExp(`^0001(?:ff)+00${SHA256_INFO}${digest("sha256", token)}`).test(
        encoded(token, call),
      ),
  }),
  accepts("rsa-padding-ignored", {
    title: "Looks at the end of an RSA signature only",
    how: "The verifier takes the last 32 bytes of the encoded message for the digest.",
    when: (token, call) => encoded(token, call).endsWith(digest("sha256", token)),
  }),
  accepts("rsa-any-hash", {
    title: "Takes whatever hash an RSA signature names",
    how: "The hash is read out of the signature, which is made for certificates.",
    when: (token, call) =>
      encoded(token, call).endsWith(`ff00${SHA1_INFO}${digest("sha1", token)}`),
  }),
];

/** A verifier that takes what has the same key as a token that was accepted for verified. */
function remembers(
  name: string,
  { key, ...words }: FaultWords & { key: (token: Received) => string },
): Fault {
  const accepted = new WeakMap<Call["receiver"]["store"], Set<string>>();
  const memory = ({ receiver: { store } }: Call): Set<string> => {
    const known = accepted.get(store) ?? new Set<string>();
    accepted.set(store, known);
    return known;
  };
  return {
    ...accepts(name, { ...words, when: (token, call) => memory(call).has(key(token)) }),
    more: [
      {
        step: "findOrganization",
        patch: (original) => async (call) => {
          await original(call);
          const token = take(call.token ?? "");
          if (token) memory(call).add(key(token));
        },
      },
    ],
  };
}

/** Whether the signature is that of the key which the token names, if one parameter were not there. */
function verifiesButFor(name: string, token: Received, call: Call): boolean {
  const { [name]: _, ...header } = token.header;
  return verifies({ ...token, header }, call);
}

function digest(hash: "sha1" | "sha256", { input }: Received): string {
  return createHash(hash).update(input).digest("hex");
}

/** The encoded message in an RSA signature, in hexadecimal, empty where there is none. */
function encoded(token: Received, call: Call): string {
  const key = keyNamed(token, call);
  if (token.header["alg"] !== "RS256" || token.header["crit"] !== undefined) return "";
  if (key?.kty !== "RSA") return "";
  try {
    return publicDecrypt(
      { key: imported(key), padding: constants.RSA_NO_PADDING },
      token.signature,
    ).toString("hex");
  } catch {
    return "";
  }
}
