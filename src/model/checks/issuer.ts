import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import { isSameUrl } from "../urls.ts";

const SENTENCE = "checks.issuer";

/** "iss is a known, trusted authorization server." (Receiver checks 2) It is one case-sensitive string (RFC 7519 §4.1.1). */
export const issuer: Check = ofClaims(({ iss }, { known: { issuers } }): Outcome => {
  if (iss === undefined) return fails(SENTENCE, "missing", { name: "iss" });
  if (!issuers) return open("issuers not known", undefined, { value: iss });
  const trusted = issuers.map(({ url }) => url);
  if (trusted.includes(iss as string)) return passes(SENTENCE);
  const facts = { name: "iss", value: iss, wanted: trusted.join(" or ") };
  // It names no other issuer.
  if (Array.isArray(iss) && iss.length === 1 && trusted.includes(iss[0] as string)) {
    return should(SENTENCE, "wrong type", facts);
  }
  return trusted.some((url) => isSameUrl(iss, url))
    ? open("spelling of a URL", SENTENCE, facts)
    : fails(SENTENCE, "differs", facts);
});
