import {
  constants,
  createHmac,
  createPublicKey,
  verify as cryptoVerify,
  type JsonWebKey,
  type KeyObject,
} from "node:crypto";

import type { JWK } from "jose";

import { isObject } from "../lib/json.ts";
import type { Call, Check } from "./model.ts";

/** The parts of a token, before any verification. */
export interface Received {
  readonly segments: readonly string[];
  readonly header: Readonly<Record<string, unknown>>;
  readonly headerText: string;
  /** The payload as text, and as JSON if it is JSON. */
  readonly payloadText: string;
  readonly payload: unknown;
  /** The signing input of the signature. */
  readonly input: string;
  readonly signature: Buffer;
}

/** Splits a token into its parts; `undefined` when its header cannot be read. */
export function splitToken(token: string): Received | undefined {
  const segments = token.split(".");
  const [headerText = "", payloadText = ""] = segments.slice(0, 2).map(decode);
  const header = parse(headerText);
  if (!isObject(header)) return undefined;
  return {
    segments,
    header,
    headerText,
    payloadText,
    payload: parse(payloadText),
    input: segments.slice(0, 2).join("."),
    signature: Buffer.from(segments[2] ?? "", "base64url"),
  };
}

/** A segment as text; empty when it is not UTF-8. */
function decode(segment: string): string {
  try {
    const bytes = Buffer.from(segment, "base64url");
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return "";
  }
}

/** Text as JSON, or `undefined`. */
export function parse(text: string | undefined): unknown {
  try {
    return JSON.parse(text ?? "");
  } catch {
    return undefined;
  }
}

/** A check 1 that also accepts every token for which `mistake` returns true. */
export function accepting(
  mistake: (token: Received, call: Call) => boolean | Promise<boolean>,
): (original: Check) => Check {
  return acceptingClaims(async (token, call) =>
    token.segments.length <= 3 && (await mistake(token, call)) ? token.payload : undefined,
  );
}

/** A check 1 that also accepts the claims that `mistake` finds in a token. */
export function acceptingClaims(
  mistake: (token: Received, call: Call) => unknown,
): (original: Check) => Check {
  return (original) => async (call) => {
    const token = splitToken(call.token ?? "");
    const claims = token && (await mistake(token, call));
    if (!token || !isObject(claims)) return original(call);
    call.header = token.header;
    call.claims = claims;
  };
}

/** The published key that a token names by `kid`. */
export function keyNamed({ header }: Pick<Received, "header">, call: Call): JWK | undefined {
  return call.receiver.keys.published.find(({ kid }) => kid === header["kid"]);
}

/** The public key of a JWK in the form of Node's crypto. */
export function publicKeyOf(jwk: JWK): KeyObject {
  return createPublicKey({ key: jwk as JsonWebKey, format: "jwk" });
}

/** A key in PEM, as libraries are configured with it. */
export function pem(jwk: JWK): string {
  return publicKeyOf(jwk).export({ type: "spki", format: "pem" }).toString();
}

/**
 * Whether the signature verifies with the key that the token names. Ignores critical extensions.
 * @param by.alg the algorithm; default: the one in the header, if the key is for it
 * @param by.dsaEncoding default: the encoding of RFC 7518 section 3.4
 */
export function verifies(
  { header, segments, input, signature }: Received,
  call: Call,
  by: { alg?: unknown; dsaEncoding?: "der" } = {},
): boolean {
  const jwk = keyNamed({ header }, call);
  const alg = by.alg ?? (header["alg"] === jwk?.alg ? jwk?.alg : undefined);
  if (!jwk || typeof alg !== "string") return false;
  const [, family, bits] = /^(RS|PS|ES)(256|384|512)$/.exec(alg) ?? [];
  if (!family && alg !== "EdDSA") return false;
  if (segments.length !== 3 || header["crit"] !== undefined) return false;
  const key = publicKeyOf(jwk);
  const kind = { RS: "rsa", PS: "rsa", ES: "ec" }[family ?? ""] ?? "ed25519";
  if (key.asymmetricKeyType !== kind) return false;
  const options =
    family === "PS"
      ? { key, padding: constants.RSA_PKCS1_PSS_PADDING }
      : { key, dsaEncoding: by.dsaEncoding ?? ("ieee-p1363" as const) };
  return cryptoVerify(bits ? `sha${bits}` : null, Buffer.from(input), options, signature);
}

/** Whether the signature is an HMAC with the secret, by the algorithm in the header. */
export function verifiesHmac(
  { header, input, signature }: Received,
  secret: string | Uint8Array,
): boolean {
  const bits = /^HS(256|384|512)$/.exec(String(header["alg"]))?.[1];
  if (bits === undefined) return false;
  return createHmac(`sha${bits}`, secret).update(input).digest().equals(signature);
}
