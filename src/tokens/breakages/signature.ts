import type { Breakage } from "../change.ts";
import { foreignKey } from "../foreign-keys.ts";
import { signRaw } from "../sign.ts";

/** Tokens whose signature the issuer's keys do not verify. */

const invalid = "the signature does not verify with any key of the issuer's JWKS";

export const forgedSignature: Breakage = {
  name: "forged",
  check: 1,
  what: "signed with a key that is not the issuer's, under the issuer's `kid`",
  why: invalid,
  source: "contract, Receiver checks 1; RFC 7515 §5.2",
  sign: (input, { key }) => signRaw(key.alg, foreignKey(key.alg), input),
};

export const algNone: Breakage = {
  name: "alg-none",
  check: 1,
  what: "`alg` is none and the signature is empty",
  why: "an unsecured JWS has no signature at all",
  source: "contract, Receiver checks 1; RFC 7518 §3.6; CVE-2015-9235",
  header: { alg: "none" },
  sign: () => new Uint8Array(),
};

export const tamperedPayload: Breakage = {
  name: "payload-tampered",
  check: 1,
  what: "a claim was added after signing",
  why: invalid,
  source: "contract, Receiver checks 1; RFC 7515 §5.2",
  text: ({ header, payload, signature }) => {
    const claims: unknown = JSON.parse(Buffer.from(payload, "base64url").toString());
    const tampered = JSON.stringify({ ...(claims as object), tampered: true });
    return `${header}.${Buffer.from(tampered).toString("base64url")}.${signature}`;
  },
};
