import { SMALL_SKEW_SECONDS } from "../../contract/checks.ts";
import { fails, open, type Outcome, passes, should } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import { readTime } from "../times.ts";

const SENTENCE = "checks.expiry";
const HOUR_SECONDS = 3600;
/** Longer than any deployment issues tokens for. */
const LONG_SECONDS = 24 * HOUR_SECONDS;

/**
 * "exp has not passed, allowing at most a small clock skew." (Receiver checks 4) How small is a gap; a few minutes are
 * usual (RFC 7519 §4.1.4), and an hour is not small.
 */
export const expiry: Check = ofClaims(({ exp }, { known: { now, skewSeconds } }): Outcome => {
  const { seconds, isNumber } = readTime(exp);
  if (Number.isNaN(seconds)) {
    return fails("claims.exp", exp === undefined ? "missing" : "wrong type", {
      name: "exp",
      value: exp,
    });
  }
  const ago = now.earliest - seconds;
  if (ago >= HOUR_SECONDS) return fails(SENTENCE, "expired", { name: "exp", seconds: ago });
  const most = skewSeconds ?? SMALL_SKEW_SECONDS;
  if (ago >= most) return should("rfc7519.exp-leeway", "expired", { name: "exp", seconds: ago });
  if (!isNumber) return open("spelling of a time", SENTENCE, { name: "exp", value: exp });
  if (now.latest - seconds >= (skewSeconds ?? 0)) {
    return open("clock skew", "limits.clock-skew", { name: "exp", seconds: ago });
  }
  return seconds - now.latest > LONG_SECONDS
    ? open("lifetime", SENTENCE, { seconds: seconds - now.latest })
    : passes(SENTENCE);
});
