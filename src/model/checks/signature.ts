import type { JsonObject } from "../../lib/json.ts";
import type { Known } from "../known.ts";
import { fails, open, type Outcome, passes } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

const SENTENCE = "checks.signature";
/** Where a token says which key verifies it. */
const BROUGHT = ["jwk", "jku", "x5c", "x5u", "x5t", "x5t#S256"];

/** "The JWT signature is valid against the issuer's JWKS." (Receiver checks 1) */
export const signature: Check = ofToken(
  ({ header, claims, signature: found }, { known }): Outcome => {
    if (found.is === "empty") return fails(SENTENCE, "unsigned");
    if (found.is === "invalid") {
      return areKnown(claims, known) ? invalid(header, known) : open("keys not known");
    }
    if (isOfAnother(claims, found.issuer, known)) {
      return fails(SENTENCE, "key of another issuer", { value: found.issuer });
    }
    const { kid } = header ?? {};
    if (kid === found.kid && typeof kid === "string") return passes(SENTENCE);
    return open("kid", "rfc7515.kid", { value: kid, name: String(found.kid) });
  },
);

/** Whether the keys are known of the issuer that the token names, or of every issuer. */
function areKnown(claims: JsonObject | undefined, { issuers }: Known): boolean {
  const named = issuers?.find(({ url }) => url === claims?.["iss"]);
  return named ? named.keys !== undefined : issuers !== undefined;
}

function invalid(header: JsonObject | undefined, { issuers = [] }: Known): Outcome {
  const brought = BROUGHT.find((name) => header && Object.hasOwn(header, name));
  const kid = header?.["kid"];
  if (brought !== undefined || /^https?:/i.test(String(kid))) {
    return fails("rfc7515.key-origin", "brings its key", { name: brought ?? "kid" });
  }
  const isKnown = issuers.some(({ keys }) => keys?.some((jwk) => jwk["kid"] === kid));
  return fails(SENTENCE, "no key verifies", isKnown ? { name: "kid", value: kid } : {});
}

/** Whether the token names a trusted issuer whose key did not sign it. */
function isOfAnother(
  claims: JsonObject | undefined,
  issuer: string,
  { issuers = [] }: Known,
): boolean {
  const iss = claims?.["iss"];
  return iss !== issuer && issuers.some(({ url }) => url === iss);
}
