import { constants, createHash, publicDecrypt } from "node:crypto";

import { isObject } from "../../lib/json.ts";
import { isWithinSkew } from "../checks.ts";
import type { Call } from "../model.ts";
import { perReceiver } from "../per-receiver.ts";
import { publicKeyOf, keyNamed, type Received, splitToken, verifies } from "../received.ts";
import { accepts, type FaultEntry, type Faults, ownedBy, type OwnedFault } from "./fault.ts";

/** DigestInfo of SHA-256 and of SHA-1, up to the digest: RFC 8017 section 9.2. */
const SHA256_INFO = "3031300d060960864801650304020105000420";
const SHA1_INFO = "3021300906052b0e03021a05000414";

/** Faults of check 1 in how a signature is verified. */
export const SIGNATURE_FAULTS: Faults = ownedBy("receiver.signature", {
  "alg-none-respelled-accepted": accepts({
    title: "Requires no signature with `alg: None`, although it refuses `none`",
    how: "The refusal compares with the word none, and the lookup of algorithms ignores case.",
    source: "CVE-2015-9235",
    when: ({ header: { alg }, signature }) =>
      typeof alg === "string" &&
      alg !== "none" &&
      alg.toLowerCase() === "none" &&
      signature.length === 0,
  }),
  "alg-missing-unsigned-accepted": accepts({
    title: "Requires no signature of a token without `alg`",
    how: "A missing `alg` gets a default, and the default is none.",
    when: ({ header: { alg }, signature }) => !alg && signature.length === 0,
  }),
  "alg-loosely-none": accepts({
    title: "Takes `alg` for none if it is `true` or 0, and then requires no signature",
    how: "`==` of PHP takes `true` for any text, and before version 8 also 0. The refusal of none compares with `===`.",
    when: ({ header: { alg }, signature }) => (alg === true || alg === 0) && signature.length === 0,
  }),
  "alg-empty-list-unsigned-accepted": accepts({
    title: "Requires no signature of a token whose `alg` is an empty array",
    how: "The code verifies with each of the listed algorithms, and there is none.",
    when: ({ header: { alg }, signature }) =>
      Array.isArray(alg) && alg.length === 0 && signature.length === 0,
  }),
  "alg-unknown-accepted": accepts({
    title: "Does not verify a signature with an unknown algorithm",
    how: "A switch over the algorithms has no default branch, so every other algorithm counts as success.",
    when: ({ header: { alg } }, { receiver }) =>
      typeof alg === "string" &&
      /^[A-Z]{2}\d+$/.test(alg) &&
      !receiver.keys.algorithms.includes(alg),
  }),
  "signature-unverified-within-skew": accepts({
    title: "Does not verify the signature of a token that expired within the skew",
    how: "The library reports a bad signature and a passed `exp` together, and the caller, who tolerates a small skew, looks for the second alone.",
    source: "CVE-2024-51744",
    when: ({ payload }, { receiver }) =>
      isObject(payload) && isWithinSkew(payload["exp"], receiver.steps.now()),
  }),
  "signature-unverified-within-skew-on-editOrganization": accepts({
    title:
      "Does not verify the signature of a token that expired within the skew, on editOrganization",
    how: "Edits may take long, so their route has an error handler of its own, which lets tokens pass that expired a moment ago.",
    source: "CVE-2024-51744",
    when: ({ payload }, { operation, receiver }) =>
      operation === "editOrganization" &&
      isObject(payload) &&
      isWithinSkew(payload["exp"], receiver.steps.now()),
  }),
  "signature-empty-accepted": accepts({
    title: "Does not verify an empty signature",
    how: "`if (signature && !verify(…)) reject`: an empty signature is not verified.",
    when: ({ segments }) => segments.length === 3 && segments[2] === "",
  }),
  "signature-missing-accepted": accepts({
    title: "Requires no signature of a token without a third segment",
    how: "The token is split into its segments, and only a third segment is verified.",
    when: ({ segments }) => segments.length === 2,
  }),
  "signature-by-length": accepts({
    title: "Accepts any signature of the right length",
    how: "The comparison of the two buffers compares only their lengths.",
    when: (token, call) => {
      const modulus = Buffer.from(keyNamed(token, call)?.n ?? "", "base64url");
      return token.header["alg"] === "RS256" && token.signature.length === modulus.length;
    },
  }),
  "verification-not-awaited": accepts({
    title: "Accepts any signature once a key is found",
    how: "`if (verify(token, key))` lacks `await`, and a promise is truthy.",
    when: (token, call) =>
      token.header["alg"] === keyNamed(token, call)?.alg && token.signature.length > 0,
  }),
  "eddsa-unverified": accepts({
    title: "Does not verify EdDSA signatures",
    how: "Each algorithm has a branch of its own, and the one that was added last returns a promise that nobody awaits.",
    when: (token, call) =>
      token.header["alg"] === "EdDSA" && keyNamed(token, call)?.alg === "EdDSA",
  }),
  "second-key-unverified": accepts({
    title: "Does not verify signatures by a second key for the same algorithm",
    how: "Only the first key for an algorithm is imported. Tokens signed with another key are accepted, so that rotation works.",
    when: (token, call) => {
      const key = keyNamed(token, call);
      const ofAlg = call.receiver.keys.published.filter(({ alg }) => alg === key?.alg);
      return key !== undefined && token.header["alg"] === key.alg && ofAlg.indexOf(key) > 0;
    },
  }),
  "unknown-kid-unverified": accepts({
    title: "Does not verify a token with an unknown `kid`",
    how: "The missing key is `undefined`, and the verifier skips tokens without a key.",
    when: (token, call) => token.header["kid"] !== undefined && !keyNamed(token, call),
  }),
  "absent-kid-unverified": accepts({
    title: "Does not verify a token without `kid`",
    how: "A filter in front looks up the key by `kid`, and passes on tokens without one.",
    when: ({ header, signature }) => header["kid"] === undefined && signature.length > 0,
  }),
  "payload-reserialized": accepts({
    title: "Verifies the signature over the payload after parsing and serializing it",
    how: "Claims are stored as an object, and the signing input is built from it.",
    when: (token, call) => {
      const again = JSON.stringify(token.payload) ?? "";
      const input = `${token.segments[0]}.${Buffer.from(again).toString("base64url")}`;
      return verifies({ ...token, input }, call);
    },
  }),
  "alg-ignored": accepts({
    title: "Verifies the signature by the key's own algorithm, whatever `alg` says",
    how: "The receiver knows its algorithm and ignores the header.",
    when: (token, call) => verifies(token, call, { alg: keyNamed(token, call)?.alg }),
  }),
  "alg-loosely-equal": accepts({
    title: "Takes `alg` for the key's algorithm if it is `true` or 0",
    how: "`==` of PHP takes `true` for any text, and before version 8 also 0.",
    when: (token, call) =>
      (token.header["alg"] === true || token.header["alg"] === 0) &&
      verifies(token, call, { alg: keyNamed(token, call)?.alg }),
  }),
  "alg-empty-list-ignored": accepts({
    title: "Verifies the signature by the key's own algorithm if `alg` is an empty array",
    how: "An algorithm that is not allowed is searched in the list, and an empty one has none.",
    when: (token, call) =>
      Array.isArray(token.header["alg"]) &&
      token.header["alg"].length === 0 &&
      verifies(token, call, { alg: keyNamed(token, call)?.alg }),
  }),
  "alg-in-any-case": accepts({
    title: "Accepts `alg` in any case",
    how: "The table of algorithms compares names without regard to case.",
    when: (token, call) => {
      const alg = keyNamed(token, call)?.alg;
      const same = String(token.header["alg"]).toLowerCase() === alg?.toLowerCase();
      return same && verifies(token, call, { alg });
    },
  }),
  "alg-not-tied-to-key": accepts({
    title: "Accepts any algorithm that a key could be used with",
    how: "The keys are stored as PEM, which does not name their algorithm.",
    source: "CVE-2026-22818",
    when: (token, call) => verifies(token, call, { alg: token.header["alg"] }),
  }),
  "crit-ignored": accepts({
    title: "Ignores `crit`",
    how: "The library does not support `crit`, because few tokens have it.",
    source: "CVE-2025-59420",
    when: (token, call) => token.header["b64"] === undefined && verifiesButFor("crit", token, call),
  }),
  "crit-text-ignored": accepts({
    title: "Ignores a `crit` that is not an array",
    how: "The list of extensions is checked only if it is an array. jsonwebtoken 9 does not check it at all.",
    when: (token, call) =>
      typeof token.header["crit"] === "string" && verifiesButFor("crit", token, call),
  }),
  "b64-false-ignored": accepts({
    title: "Claims to understand `b64: false`, but decodes the payload",
    how: "`b64` is on the library's list of extensions, for detached signatures.",
    when: (token, call) => token.header["b64"] === false && verifiesButFor("crit", token, call),
  }),
  "verification-remembered-by-payload": remembers({
    title: "Caches verified tokens by header and payload, whatever the signature",
    how: "The key of a cache of verified tokens is header and payload.",
    source: "CVE-2026-35039",
    key: ({ input }) => input,
  }),
  "verification-remembered-by-claims": remembers({
    title: "Caches verified tokens by claims, whatever the header and the signature",
    how: "Parsed claims are cached, with the encoded payload as the key.",
    key: ({ segments }) => segments[1] ?? "",
  }),
  "verification-remembered-by-signature": remembers({
    title: "Caches verified tokens by signature, whatever the claims",
    how: "The key of a cache of verified tokens is the signature, because it is short.",
    key: ({ signature }) => signature.toString("base64url"),
  }),
  "verification-remembered-by-beginning": remembers({
    title: "Caches verified tokens by all but their last characters",
    how: "The column for the keys of a cache of verified tokens is shorter than a token, and the database cuts off the rest.",
    key: ({ input, signature }) => `${input}.${signature.subarray(0, -9).toString("base64url")}`,
  }),
  "verification-remembered-in-any-case": remembers({
    title: "Caches verified tokens without regard to case",
    how: "The column for the keys of a cache of verified tokens has a collation that ignores case.",
    key: ({ segments }) => segments.join(".").toLowerCase(),
  }),
  "verification-remembered-by-jti": remembers({
    title: "Caches verified tokens by `jti`, whatever else is in the token",
    how: "The key of a cache of verified tokens is `jti`, because it identifies a token. Tokens without it are not cached.",
    key: ({ payload }) => {
      const id = isObject(payload) ? payload["jti"] : undefined;
      return typeof id === "string" ? id : undefined;
    },
  }),
  "ecdsa-zero-accepted": accepts({
    title: "Accepts an ECDSA signature of zeros for every token",
    how: "The verifier does not check the ranges of R and S.",
    source: "CVE-2022-21449",
    when: (token, call) =>
      token.header["alg"] === "ES256" &&
      keyNamed(token, call)?.kty === "EC" &&
      token.signature.length === 64 &&
      token.signature.every((byte) => byte === 0),
  }),
  "ecdsa-der-accepted": accepts({
    title: "Accepts an ECDSA signature in DER",
    how: "The platform's library expects DER, and the code skips the conversion if the signature is already DER.",
    when: (token, call) =>
      token.header["alg"] === "ES256" && verifies(token, call, { dsaEncoding: "der" }),
  }),
  "ecdsa-padded-accepted": accepts({
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
  "rsa-garbage-accepted": accepts({
    title: "Ignores bytes after the digest of an RSA signature",
    how: "The verifier parses the encoded message from the left and stops after the digest.",
    source: "CVE-2006-4339",
    when: (token, call) =>
      new RegExp(`^0001(?:ff)+00${SHA256_INFO}${digest("sha256", token)}`).test(
        encoded(token, call),
      ),
  }),
  "rsa-padding-ignored": accepts({
    title: "Checks only the end of an RSA signature",
    how: "The verifier uses the last 32 bytes of the encoded message as the digest.",
    when: (token, call) => encoded(token, call).endsWith(digest("sha256", token)),
  }),
  "rsa-any-hash": accepts({
    title: "Accepts any hash that an RSA signature names",
    how: "The code reads the hash from the signature, as for certificates.",
    when: (token, call) =>
      encoded(token, call).endsWith(`ff00${SHA1_INFO}${digest("sha1", token)}`),
  }),
});

/** A verifier that treats a token as verified if its cache key is that of an accepted token. */
function remembers({
  key,
  ...fault
}: FaultEntry & { readonly key: (token: Received) => string | undefined }): OwnedFault {
  const acceptedBy = perReceiver(() => new Set<string>());
  return {
    ...accepts({
      ...fault,
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
