import {
  constants,
  createPrivateKey,
  createPublicKey,
  type JsonWebKey,
  sign,
  type SignKeyObjectInput,
  verify,
} from "node:crypto";

import { calculateJwkThumbprint } from "jose";
import { z } from "zod";

import { type Algorithm, algorithmsFor, type Jwk } from "../keys/algorithms.ts";
import { SuiteError } from "../lib/errors.ts";
import type { JsonObject } from "../lib/json.ts";
import { strictJson, UnreadableJson } from "../lib/strict-json.ts";
import { firstIssue } from "../lib/zod-issue.ts";

/** A DSSE envelope; see github.com/secure-systems-lab/dsse. */
export interface Envelope {
  readonly payloadType: string;
  /** In base64. */
  readonly payload: string;
  readonly signatures: readonly { readonly keyid?: string | undefined; readonly sig: string }[];
}

const PAYLOAD_TYPE = "application/vnd.in-toto+json";
const MOST_SIGNATURES = 20;

const ENVELOPE: z.ZodType<Envelope> = z.object({
  payloadType: z.string(),
  payload: z.string(),
  signatures: z
    .array(z.object({ keyid: z.string().optional(), sig: z.string() }))
    .max(MOST_SIGNATURES),
});

/**
 * Signs a statement in a DSSE envelope: RSA with the key's `alg` (default `RS256`), ECDSA with the
 * signature in DER, or Ed25519.
 * @param key a private JWK
 * @throws SuiteError when the key cannot sign
 */
export async function signStatement(statement: JsonObject, key: Jwk): Promise<Envelope> {
  const payload = Buffer.from(JSON.stringify(statement));
  const alg = algorithmOf(key);
  if (alg === undefined) {
    throw new SuiteError("ERR_KEYS", "The key cannot be used to sign", {
      hint: "Supported keys are RSA, EC on P-256, P-384 or P-521, or OKP on Ed25519.",
    });
  }
  let sig: Buffer;
  try {
    const privateKey = createPrivateKey({ key: key as JsonWebKey, format: "jwk" });
    sig = sign(hashOf(alg), encoded(payload), { key: privateKey, ...padding(alg) });
  } catch {
    // No `cause`, because its message may quote the key.
    throw new SuiteError("ERR_KEYS", "The key is not a complete private JWK", {
      hint: "Besides its public members an RSA key has d, p, q, dp, dq and qi; an EC or OKP key has d.",
    });
  }
  return {
    payloadType: PAYLOAD_TYPE,
    payload: payload.toString("base64"),
    signatures: [{ keyid: await keyIdOf(key), sig: sig.toString("base64") }],
  };
}

/** Parses an envelope; a phrase that says why the text is not one. */
export function readEnvelope(text: string): Envelope | string {
  try {
    const value = strictJson(text);
    const { success, data, error } = ENVELOPE.safeParse(value);
    if (success) return data;
    return firstIssue(error.issues, value);
  } catch (error) {
    if (!(error instanceof UnreadableJson)) throw error;
    return `it ${error.message}`;
  }
}

/** The text of an envelope's payload and the id of the key that signed it, of the given ones. */
export async function openEnvelope(
  { payloadType, payload, signatures }: Envelope,
  keys: readonly Jwk[],
): Promise<{ readonly payload: string; readonly keyId: string } | undefined> {
  const bytes = Buffer.from(payload, "base64");
  if (payloadType !== PAYLOAD_TYPE) return undefined;
  for (const key of keys) {
    const alg = algorithmOf(key);
    if (alg === undefined) continue;
    const keyId = await keyIdOf(key);
    for (const { keyid = "", sig } of signatures) {
      if (keyid !== "" && keyid !== keyId) continue;
      if (isSigned(encoded(bytes), Buffer.from(sig, "base64"), key, alg)) {
        return { payload: bytes.toString("utf8"), keyId };
      }
    }
  }
  return undefined;
}

function isSigned(message: Buffer, signature: Buffer, key: Jwk, alg: Algorithm): boolean {
  try {
    const publicKey = createPublicKey({ key: key as JsonWebKey, format: "jwk" });
    return verify(hashOf(alg), message, { key: publicKey, ...padding(alg) }, signature);
  } catch {
    return false;
  }
}

/** DSSE's pre-authentication encoding. It signs the type of the payload as well as the payload. */
function encoded(payload: Buffer): Buffer {
  const head = `DSSEv1 ${PAYLOAD_TYPE.length} ${PAYLOAD_TYPE} ${payload.length} `;
  return Buffer.concat([Buffer.from(head), payload]);
}

/** The `kid` of the key, or else its thumbprint (RFC 7638). */
async function keyIdOf(key: Jwk): Promise<string> {
  const { kid } = key;
  return typeof kid === "string" && kid !== "" ? kid : calculateJwkThumbprint(key);
}

function algorithmOf(key: Jwk): Algorithm | undefined {
  const possible = algorithmsFor(key);
  return key["alg"] === undefined ? possible[0] : possible.find((alg) => alg === key["alg"]);
}

/** The hash of an algorithm; Ed25519 has its own. */
function hashOf(alg: Algorithm): string | null {
  return alg.startsWith("Ed") ? null : `sha${alg.slice(2)}`;
}

function padding(alg: Algorithm): Pick<SignKeyObjectInput, "padding" | "saltLength"> {
  return alg.startsWith("PS")
    ? { padding: constants.RSA_PKCS1_PSS_PADDING, saltLength: constants.RSA_PSS_SALTLEN_DIGEST }
    : {};
}
