import { constants, createHash, publicDecrypt } from "node:crypto";

import { isObject } from "../../lib/json.ts";
import { isWithinSkew } from "../checks.ts";
import type { Call } from "../model.ts";
import { perReceiver } from "../per-receiver.ts";
import { publicKeyOf, keyNamed, type Received, splitToken, verifies } from "../received.ts";
import { accepts, type Fault, type FaultWords, ownedBy } from "./fault.ts";

/** DigestInfo of SHA-256 and of SHA-1, up to the digest: RFC 8017 section 9.2. */
const SHA256_INFO = "3031300d060960864801650304020105000420";
const SHA1_INFO = "3021300906052b0e03021a05000414";

/** Faults of check 1 in how a signature is verified. */
export const SIGNATURE_FAULTS: readonly Fault[] = ownedBy("receiver.signature", [
  accepts("alg-none-respelled-accepted", {
    title: "Requires no signature with `alg: None`, although it refuses `none`",
    how: "The refusal compares with the word none, and the lookup of algorithms ignores case.",
    source: "CVE-2015-9235",
    when: ({ header: { alg }, signature }) =>
      typeof alg === "string" &&
      alg !== "none" &&
      alg.toLowerCase() === "none" &&
      signature.length === 0,
  }),
  accepts("alg-missing-unsigned-accepted", {
    title: "Requires no signature of a token without `alg`",
    how: "A missing `alg` gets a default, and the default is none.",
    when: ({ header: { alg }, signature }) => !alg && signature.length === 0,
  }),
  accepts("alg-unknown-accepted", {
    title: "Does not verify a signature with an unknown algorithm",
    how: "A switch over the algorithms has no default branch, so every other algorithm counts as success.",
    when: ({ header: { alg } }, { receiver }) =>
      typeof alg === "string" &&
      /^[A-Z]{2}\d+$/.test(alg) &&
      !receiver.keys.algorithms.includes(alg),
  }),
  accepts("signature-unverified-within-skew", {
    title: "Does not verify the signature of a token that expired within the skew",
    how: "The library reports a bad signature and a passed `exp` together, and the caller, who tolerates a small skew, looks for the second alone.",
    source: "CVE-2024-51744",
    when: ({ payload }, { receiver }) =>
      isObject(payload) && isWithinSkew(payload["exp"], receiver.steps.now()),
  }),
  accepts("signature-unverified-within-skew-on-editOrganization", {
    title:
      "Does not verify the signature of a token that expired within the skew, on editOrganization",
    how: "Edits may take long, so their route has an error handler of its own, which lets tokens pass that expired a moment ago.",
    source: "CVE-2024-51744",
    when: ({ payload }, { operation, receiver }) =>
      operation === "editOrganization" &&
      isObject(payload) &&
      isWithinSkew(payload["exp"], receiver.steps.now()),
  }),
  accepts("signature-empty-accepted", {
    title: "Does not verify an empty signature",
    how: "`if (signature && !verify(…)) reject`: an empty signature is not verified.",
    when: ({ segments }) => segments.length === 3 && segments[2] === "",
  }),
  accepts("signature-missing-accepted", {
    title: "Requires no signature of a token without a third segment",
    how: "The token is split into its segments, and only a third segment is verified.",
    when: ({ segments }) => segments.length === 2,
  }),
  accepts("signature-by-length", {
    title: "Accepts any signature of the right length",
    how: "The comparison of the two buffers compares only their lengths.",
    when: (token, call) => {
      const modulus = Buffer.from(keyNamed(token, call)?.n ?? "", "base64url");
      return token.header["alg"] === "RS256" && token.signature.length === modulus.length;
    },
  }),
  accepts("verification-not-awaited", {
    title: "Accepts any signature once a key is found",
    how: "`if (verify(token, key))` lacks `await`, and a promise is truthy.",
    when: (token, call) =>
      token.header["alg"] === keyNamed(token, call)?.alg && token.signature.length > 0,
  }),
  accepts("eddsa-unverified", {
    title: "Does not verify EdDSA signatures",
    how: "Each algorithm has a branch of its own, and the one that was added last returns a promise that nobody awaits.",
    when: (token, call) =>
      token.header["alg"] === "EdDSA" && keyNamed(token, call)?.alg === "EdDSA",
  }),
  accepts("second-key-unverified", {
    title: "Does not verify signatures by a second key for the same algorithm",
    how: "Only the first key for an algorithm is imported. Tokens signed with another key are accepted, so that rotation works.",
    when: (token, call) => {
      const key = keyNamed(token, call);
      const ofAlg = call.receiver.keys.published.filter(({ alg }) => alg === key?.alg);
      return key !== undefined && token.header["alg"] === key.alg && ofAlg.indexOf(key) > 0;
    },
  }),
  accepts("unknown-kid-unverified", {
    title: "Does not verify a token with an unknown `kid`",
    how: "The missing key is `undefined`, and the verifier skips tokens without a key.",
    when: (token, call) => token.header["kid"] !== undefined && !keyNamed(token, call),
  }),
  accepts("absent-kid-unverified", {
    title: "Does not verify a token without `kid`",
    how: "A filter in front looks up the key by `kid`, and passes on tokens without one.",
    when: ({ header, signature }) => header["kid"] === undefined && signature.length > 0,
  }),
  accepts("payload-reserialized", {
    title: "Verifies the signature over the payload after parsing and serializing it",
    how: "Claims are stored as an object, and the signing input is built from it.",
    when: (token, call) => {
      const again = JSON.stringify(token.payload) ?? "";
      const input = `${token.segments[0]}.${Buffer.from(again).toString("base64url")}`;
      return verifies({ ...token, input }, call);
    },
  }),
  accepts("alg-ignored", {
    title: "Verifies the signature by the key's own algorithm, whatever `alg` says",
    how: "The receiver knows its algorithm and ignores the header.",
    when: (token, call) => verifies(token, call, { alg: keyNamed(token, call)?.alg }),
  }),
  accepts("alg-in-any-case", {
    title: "Accepts `alg` in any case",
    how: "The table of algorithms compares names without regard to case.",
    when: (token, call) => {
      const alg = keyNamed(token, call)?.alg;
      const same = String(token.header["alg"]).toLowerCase() === alg?.toLowerCase();
      return same && verifies(token, call, { alg });
    },
  }),
  accepts("alg-not-tied-to-key", {
    title: "Accepts any algorithm that a key could be used with",
    how: "The keys are stored as PEM, which does not name their algorithm.",
    source: "CVE-2026-22818",
    when: (token, call) => verifies(token, call, { alg: token.header["alg"] }),
  }),
  accepts("crit-ignored", {
    title: "Ignores `crit`",
    how: "The library does not support `crit`, because few tokens have it.",
    source: "CVE-2025-59420",
    when: (token, call) => token.header["b64"] === undefined && verifiesButFor("crit", token, call),
  }),
  accepts("crit-text-ignored", {
    title: "Ignores a `crit` that is not an array",
    how: "The list of extensions is checked only if it is an array. jsonwebtoken 9 does not check it at all.",
    when: (token, call) =>
      typeof token.header["crit"] === "string" && verifiesButFor("crit", token, call),
  }),
  accepts("b64-false-ignored", {
    title: "Claims to understand `b64: false`, but decodes the payload",
    how: "`b64` is on the library's list of extensions, for detached signatures.",
    when: (token, call) => token.header["b64"] === false && verifiesButFor("crit", token, call),
  }),
  remembers("verification-remembered-by-payload", {
    title: "Caches verified tokens by header and payload, whatever the signature",
    how: "The key of a cache of verified tokens is header and payload.",
    source: "CVE-2026-35039",
    key: ({ input }) => input,
  }),
  remembers("verification-remembered-by-claims", {
    title: "Caches verified tokens by claims, whatever the header and the signature",
    how: "Parsed claims are cached, with the encoded payload as the key.",
    key: ({ segments }) => segments[1] ?? "",
  }),
  remembers("verification-remembered-by-signature", {
    title: "Caches verified tokens by signature, whatever the claims",
    how: "The key of a cache of verified tokens is the signature, because it is short.",
    key: ({ signature }) => signature.toString("base64url"),
  }),
  remembers("verification-remembered-by-beginning", {
    title: "Caches verified tokens by all but their last characters",
    how: "The column for the keys of a cache of verified tokens is shorter than a token, and the database cuts off the rest.",
    key: ({ input, signature }) => `${input}.${signature.subarray(0, -9).toString("base64url")}`,
  }),
  remembers("verification-remembered-in-any-case", {
    title: "Caches verified tokens without regard to case",
    how: "The column for the keys of a cache of verified tokens has a collation that ignores case.",
    key: ({ segments }) => segments.join(".").toLowerCase(),
  }),
  remembers("verification-remembered-by-jti", {
    title: "Caches verified tokens by `jti`, whatever else is in the token",
    how: "The key of a cache of verified tokens is `jti`, because it identifies a token. Tokens without it are not cached.",
    key: ({ payload }) => {
      const id = isObject(payload) ? payload["jti"] : undefined;
      return typeof id === "string" ? id : undefined;
    },
  }),
  accepts("ecdsa-zero-accepted", {
    title: "Accepts an ECDSA signature of zeros for every token",
    how: "The verifier does not check the ranges of R and S.",
    source: "CVE-2022-21449",
    when: (token, call) =>
      token.header["alg"] === "ES256" &&
      keyNamed(token, call)?.kty === "EC" &&
      token.signature.length === 64 &&
      token.signature.every((byte) => byte === 0),
  }),
  accepts("ecdsa-der-accepted", {
    title: "Accepts an ECDSA signature in DER",
    how: "The platform's library expects DER, and the code skips the conversion if the signature is already DER.",
    when: (token, call) =>
      token.header["alg"] === "ES256" && verifies(token, call, { dsaEncoding: "der" }),
  }),
  accepts("ecdsa-padded-accepted", {
    title: "Accepts R and S of an ECDSA signature with additional leading bytes",
    how: "The signature is split in half, and each half is read as a number.",
    when: (token, call) => {
      const half = token.signature.length / 2;
      if (token.header["alg"] !== "ES256" || half <= 32) return false;
      const parts = [token.signature.subarray(0, half), token.signature.subarray(half)];
      const signature = Buffer.concat(parts.map((part) => part.subarray(-32)));
      return verifies({ ...token, signature }, call);
    },
  }),
  accepts("rsa-garbage-accepted", {
    title: "Ignores bytes after the digest of an RSA signature",
    how: "The verifier parses the encoded message from the left and stops after the digest.",
    source: "CVE-2006-4339",
    when: (token, call) =>
      new RegExp(`^0001(?:ff)+00${SHA256_INFO}${digest("sha256", token)}`).test(
        encoded(token, call),
      ),
  }),
  accepts("rsa-padding-ignored", {
    title: "Checks only the end of an RSA signature",
    how: "The verifier uses the last 32 bytes of the encoded message as the digest.",
    when: (token, call) => encoded(token, call).endsWith(digest("sha256", token)),
  }),
  accepts("rsa-any-hash", {
    title: "Accepts any hash that an RSA signature names",
    how: "The code reads the hash from the signature, as for certificates.",
    when: (token, call) =>
      encoded(token, call).endsWith(`ff00${SHA1_INFO}${digest("sha1", token)}`),
  }),
]);

/** A verifier that treats a token as verified if its cache key is that of an accepted token. */
function remembers(
  name: string,
  { key, ...words }: FaultWords & { key: (token: Received) => string | undefined },
): Fault {
  const acceptedBy = perReceiver(() => new Set<string>());
  return {
    ...accepts(name, {
      ...words,
      when: (token, call) => acceptedBy(call.receiver).has(key(token) ?? ""),
    }),
    findOrganization: (original) => async (call) => {
      await original(call);
      const token = splitToken(call.token ?? "");
      const remembered = token && key(token);
      if (remembered) acceptedBy(call.receiver).add(remembered);
    },
  };
}

/** Whether the signature is valid with the named key if one header parameter is ignored. */
function verifiesButFor(name: string, token: Received, call: Call): boolean {
  const { [name]: _, ...header } = token.header;
  return verifies({ ...token, header }, call);
}

function digest(hash: "sha1" | "sha256", { input }: Received): string {
  return createHash(hash).update(input).digest("hex");
}

/** The encoded message in an RSA signature, in hexadecimal; empty if there is none. */
function encoded(token: Received, call: Call): string {
  const key = keyNamed(token, call);
  if (token.header["alg"] !== "RS256" || token.header["crit"] !== undefined) return "";
  if (key?.kty !== "RSA") return "";
  try {
    return publicDecrypt(
      { key: publicKeyOf(key), padding: constants.RSA_NO_PADDING },
      token.signature,
    ).toString("hex");
  } catch {
    return "";
  }
}
