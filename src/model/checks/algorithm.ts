import type { Known } from "../known.ts";
import { fails, open, passes, should } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

/** The asymmetric algorithms of RFC 7518, RFC 8037 and RFC 9864: an issuer's keys are public. */
const ASYMMETRIC = /^(?:[RP]S(?:256|384|512)|ES(?:256|384|512)|EdDSA|Ed25519)$/;

/** `alg` states the algorithm of the signature (RFC 7515 §4.1.1), and each key is for one (RFC 8725 §3.1). */
export const algorithm: Check = ofToken(({ header, signature }, { known }) => {
  if (!header) return undefined;
  const { alg, kid } = header;
  if (alg !== undefined && typeof alg !== "string" && signature.is === "valid") {
    return should("rfc7515.alg", "no algorithm", { value: alg });
  }
  if (typeof alg !== "string" || alg === "") {
    return fails("rfc7515.alg", "no algorithm", { value: alg });
  }
  if (/^none$/i.test(alg.trim())) return fails("rfc7518.none", "unsecured");
  if (!ASYMMETRIC.test(alg)) {
    return fails("rfc7515.alg", "not an algorithm of the issuer", { value: alg });
  }
  if (signature.is !== "valid") {
    const wanted = algorithmOf(kid, known);
    return wanted === undefined || wanted === alg
      ? passes("rfc7515.alg")
      : fails("rfc7515.alg", "another algorithm of the key", { value: alg, wanted });
  }
  if (signature.alg === alg) return passes("rfc7515.alg");
  return signature.alg === undefined
    ? open("algorithm of the key", "rfc8725.algorithms")
    : should("rfc8725.algorithms", "another algorithm of the key", {
        value: alg,
        wanted: signature.alg,
      });
});

/** The `alg` of the trusted key that a token names. */
function algorithmOf(kid: unknown, { issuers = [] }: Known): unknown {
  const keys = issuers.flatMap((issuer) => issuer.keys ?? []);
  return keys.find((jwk) => jwk["kid"] === kid)?.["alg"];
}
