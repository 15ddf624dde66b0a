import { fails, open, passes, should } from "../outcome.ts";
import { type Check, ofToken } from "../question.ts";

/** The payload of a JWT is one JSON object in UTF-8, and its names are unique (RFC 7519 §4, §7.2). */
export const claimsSet: Check = ofToken(({ flaws, claims, repeated }) => {
  if (flaws.has("nested token")) return open("nested token", "rfc7519.claims-set");
  if (!claims) return fails("rfc7519.claims-set", "not a claims set");
  if (flaws.has("not UTF-8")) return should("rfc7519.claims-set", "not in UTF-8");
  if (flaws.has("byte order mark") || flaws.has("nested deeply")) {
    return open("spelling of JSON", "rfc7519.claims-set");
  }
  return repeated.length > 0
    ? open("repeated member", "rfc7519.unique-claims", { value: repeated })
    : passes("rfc7519.claims-set");
});
