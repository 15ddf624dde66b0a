import { fails, open, type Outcome, passes } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import { isSameUrl } from "../urls.ts";

const SENTENCE = "checks.audience";

/** "aud equals the receiver's own base URL." (Receiver checks 3) RFC 7519 §4.1.3 allows an array, of which the contract is silent. */
export const audience: Check = ofClaims(({ aud }, { known: { audience: own } }): Outcome => {
  if (aud === undefined) return fails(SENTENCE, "missing", { name: "aud" });
  if (own === undefined) return open("audience not known", undefined, { value: aud });
  if (aud === own) return passes(SENTENCE);
  if (Array.isArray(aud) && aud.some((one) => one === own || isSameUrl(one, own))) {
    return open("array", "rfc7519.aud", { name: "aud", value: own });
  }
  const facts = { name: "aud", value: aud, wanted: own };
  return isSameUrl(aud, own)
    ? open("spelling of a URL", SENTENCE, facts)
    : fails(SENTENCE, "differs", facts);
});
