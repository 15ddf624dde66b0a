import { fails, open, passes, should } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

/** Parameters of RFC 7515 itself, which are no extensions. */
const REGISTERED = new Set([
  "alg",
  "jku",
  "jwk",
  "kid",
  "x5u",
  "x5c",
  "x5t",
  "x5t#S256",
  "typ",
  "cty",
  "crit",
]);

/** A token is invalid if `crit` names an extension (RFC 7515 §4.1.11), and `b64` is never false in a JWT (RFC 7797 §7). */
export const extensions: Check = ofToken(({ header, signature }) => {
  if (!header) return undefined;
  const { crit, b64 } = header;
  if (crit === undefined)
    return b64 === undefined ? passes("rfc7515.crit") : open("b64", "rfc7797.b64");
  if (crit === null) return open("crit", "rfc7515.crit-wellformed");
  if (!Array.isArray(crit))
    return should("rfc7515.crit-wellformed", "malformed crit", { value: crit });
  const named = crit.filter((one) => !REGISTERED.has(String(one)));
  if (named.length === 0) return open("crit", "rfc7515.crit-wellformed");
  const isUnencoded = b64 === false && String(named) === "b64";
  return isUnencoded && signature.is === "valid" && signature.unencoded
    ? should("rfc7797.b64", "unencoded payload")
    : fails("rfc7515.crit", "critical extension", { value: named });
});
