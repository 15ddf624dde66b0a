import { open, type Outcome, passes, should } from "../outcome.ts";
import { type Check, ofClaims } from "../question.ts";
import { readTime } from "../times.ts";

const HOUR_SECONDS = 3600;

/** `sub` is a MUST of the table "Token claims" that no receiver check names, so rejecting a token without it is advice. */
export const subject: Check = ofClaims(({ sub }): Outcome => {
  const sentence = "claims.sub";
  if (sub === undefined || sub === null || sub === "") {
    return should(sentence, "missing", { name: "sub", value: sub });
  }
  return typeof sub === "string"
    ? passes(sentence)
    : open("odd claim", sentence, { name: "sub", value: sub });
});

/** `iat` likewise. How old a token may be, and whether it may be issued in the future, the contract does not say. */
export const issuedAt: Check = ofClaims(({ iat }, { known: { now } }): Outcome => {
  const sentence = "claims.iat";
  if (iat === undefined || iat === null)
    return should(sentence, "missing", { name: "iat", value: iat });
  const { seconds, isNumber } = readTime(iat);
  if (typeof iat === "string" && Number.isNaN(seconds)) {
    return should(sentence, "wrong type", { name: "iat", value: iat });
  }
  if (!isNumber) return open("odd claim", sentence, { name: "iat", value: iat });
  return seconds > now.earliest || seconds < now.latest - HOUR_SECONDS
    ? open("lifetime", sentence, { name: "iat", seconds: now.latest - seconds })
    : passes(sentence);
});
