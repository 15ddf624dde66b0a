import { SMALL_SKEW_SECONDS } from "../../contract/checks.ts";
import { open, passes, should } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import { readTime } from "../times.ts";

const SENTENCE = "rfc7519.nbf";

/** A token is not accepted before the time in `nbf` (RFC 7519 §4.1.5). The contract does not name the claim. */
export const notBefore: Check = ofClaims(({ nbf }, { known: { now, skewSeconds } }) => {
  if (nbf === undefined) return undefined;
  const { seconds, isNumber } = readTime(nbf);
  const ahead = seconds - now.latest;
  if (ahead > (skewSeconds ?? SMALL_SKEW_SECONDS)) {
    return should(SENTENCE, "not yet valid", { name: "nbf", seconds: ahead });
  }
  if (!isNumber) return open("spelling of a time", SENTENCE, { name: "nbf", value: nbf });
  return seconds > now.earliest
    ? open("clock skew", "limits.clock-skew", { name: "nbf", seconds: ahead })
    : passes(SENTENCE, "SHOULD");
});
