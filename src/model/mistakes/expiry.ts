import { expiry } from "../checks/expiry.ts";
import { notBefore } from "../checks/not-before.ts";
import { issuedAt } from "../checks/required-claims.ts";
import type { Question } from "../question.ts";
import { readTime } from "../times.ts";
import { kindMistakes } from "./classes.ts";
import { also, instead, type Mistake, TAKEN } from "./mistake.ts";

const HOUR = 3600;
const DAY = 86_400;
/** Tolerances in seconds, from five minutes to a year, of which the run's own requests choose one. */
const TOLERANCES = Array.from({ length: 45 }, (_, at) => Math.round(300 * 1.3 ** at));
/** What is nearer to a tolerance, as a factor, is said by its neighbour. */
const NEAR = 1.15;

function expOf({ token }: Question): unknown {
  return token?.claims?.["exp"];
}

/** Seconds since `exp`; `undefined` where it is no number, or an infinite one, which some parsers refuse. */
function agoOf(question: Question): number | undefined {
  const exp = expOf(question);
  return typeof exp === "number" && Number.isFinite(exp)
    ? question.known.now.earliest - exp
    : undefined;
}

/** A string of digits, which some libraries read as a number, or an infinite one, which some parsers refuse. */
function isOdd(exp: unknown): boolean {
  return typeof exp === "number" || (typeof exp === "string" && /^\d+$/.test(exp));
}

/** What JavaScript says of `!(exp < now)`. */
function isNotLess(exp: unknown, { known: { now } }: Question): boolean {
  return !(Number(exp === undefined ? Number.NaN : exp) < now.earliest);
}

const unsaid = instead(expiry, () => undefined);

function mistake(fault: string, behaves: string, look: string, wrong: Mistake["checks"]): Mistake {
  return { fault, behaves, look, checks: wrong };
}

/** A token that expired long ago was issued longer ago, which hardly a receiver minds. */
const AT_ANY_AGE: Mistake["checks"] = {
  issuedAt: (question) => {
    const { seconds } = readTime(question.token?.claims?.["iat"]);
    // What it makes of one that is issued in the future is another question.
    return seconds > question.known.now.earliest
      ? issuedAt(question)
      : instead(issuedAt, () => true)(question);
  },
};

function tolerance(fault: string, behaves: string, look: string, seconds: number): Mistake {
  return mistake(fault, behaves, look, {
    expiry: (question) => {
      const ago = agoOf(question);
      if (ago === undefined) return isOdd(expOf(question)) ? unsaid(question) : expiry(question);
      // How far ahead `exp` may be is another question.
      if (ago <= 0) return expiry(question);
      const isNear = ago > seconds / NEAR && ago < seconds * NEAR;
      return instead(expiry, () => (isNear ? undefined : ago < seconds))(question);
    },
    ...AT_ANY_AGE,
    // Libraries apply the tolerance to `nbf` as well.
    notBefore: instead(notBefore, () => undefined),
  });
}

/** Wrong checks of `exp` and `nbf` (Receiver checks 4, RFC 7519 §4.1.4). */
export const EXPIRY: readonly Mistake[] = [
  {
    ...mistake(
      "expiry-unchecked",
      "accepts expired tokens",
      "The call turns the check off (`ignoreExpiration`, `verify_exp: False`), or decodes the token without verifying it.",
      {
        expiry: instead(expiry, (question) => (agoOf(question) === undefined ? undefined : true)),
      },
    ),
    isAbsence: true,
  },
  ...TOLERANCES.map((seconds) =>
    tolerance(
      "expiry-tolerance-long",
      "accepts a token long after `exp`, up to a limit",
      "The tolerance for clocks that differ is too large, or in another unit than its name suggests.",
      seconds,
    ),
  ),
  tolerance(
    "expiry-skew-two-hours",
    "accepts a token for two hours after `exp`",
    "The tolerance for clocks that differ is too large.",
    7200,
  ),
  tolerance(
    "expiry-skew-in-milliseconds",
    "accepts a token for 60,000 seconds after `exp`",
    "The tolerance is given in milliseconds where seconds are meant.",
    60_000,
  ),
  mistake(
    "expiry-in-milliseconds",
    "mixes seconds and milliseconds when it compares `exp`",
    "`exp` is in seconds, `Date.now()` in milliseconds: one side of the comparison is multiplied, or divided, once too often.",
    {
      expiry: instead(expiry, (question) => {
        const exp = expOf(question);
        return Number.isFinite(exp) ? Number(exp) * 1000 > question.known.now.latest : undefined;
      }),
      ...AT_ANY_AGE,
    },
  ),
  ...[HOUR, ...TOLERANCES].map((most) =>
    mistake(
      "expiry-judged-by-iat",
      "accepts a token for some time after `iat`, whatever its `exp`",
      "The code compares the age of the token (`maxTokenAge`, `maxAge`) in place of `exp`.",
      {
        expiry: instead(expiry, (question) => {
          const { seconds } = readTime(question.token?.claims?.["iat"]);
          const age = question.known.now.latest - seconds;
          const isNear = age > most / NEAR && age < most * NEAR;
          return Number.isNaN(seconds) || isNear ? undefined : age < most;
        }),
      },
    ),
  ),
  mistake(
    "expiry-day-granular",
    "compares only the day of `exp` with today's",
    "The code turns both times into dates before it compares them, so that a token is accepted until the day is over.",
    {
      expiry: instead(expiry, (question) => {
        const exp = expOf(question);
        if (typeof exp !== "number" || !Number.isFinite(exp)) return undefined;
        const days = Math.floor(question.known.now.latest / DAY) - Math.floor(exp / DAY);
        // Which day it is depends on the receiver's time zone.
        return Math.abs(days) === 1 ? undefined : days <= 0;
      }),
      ...AT_ANY_AGE,
    },
  ),
  mistake(
    "expiry-compared-with-iat",
    "compares `exp` with `iat`, and not with the time",
    "The code tests whether `exp` comes after `iat`, or whether the lifetime is not negative.",
    {
      expiry: instead(expiry, (question) => {
        const [exp, iat] = ["exp", "iat"].map((name) => question.token?.claims?.[name]);
        return Number.isFinite(exp) && Number.isFinite(iat) ? Number(exp) > Number(iat) : undefined;
      }),
    },
  ),
  mistake(
    "expiry-false-comparison",
    "accepts a token whose `exp` is no number, because every comparison with it is false",
    "The code refuses if `exp` is less than the time, which is false for a word, an object or a missing claim. Require a number, or refuse unless it is greater.",
    { expiry: instead(expiry, (question) => isNotLess(expOf(question), question)) },
  ),
  mistake(
    "expiry-falsy-or-false-comparison",
    "accepts a token whose `exp` is missing, empty, 0 or no number, because no comparison refuses it",
    "The code has the form `if (claims.exp && claims.exp < now)`: the comparison is skipped where `exp` is falsy, and false for a word or an object.",
    {
      expiry: instead(
        expiry,
        (question) => !expOf(question) || isNotLess(expOf(question), question),
      ),
    },
  ),
  mistake(
    "expiry-missing-accepted",
    "treats a token without `exp` as one that never expires",
    "The library checks `exp` only where it is there. Require the claim.",
    { expiry: also(expiry, (question) => expOf(question) === undefined) },
  ),
  mistake(
    "expiry-absent-or-null-accepted",
    "treats a token in which `exp` is missing or null as one that never expires",
    "The code compares `exp` only if it is not null.",
    { expiry: also(expiry, (question) => (expOf(question) ?? undefined) === undefined) },
  ),
  mistake(
    "expiry-falsy-skipped",
    "treats `exp` that is missing, null, 0 or empty as never",
    "The code has the form `if (claims.exp && …)`: the comparison is skipped where `exp` is falsy.",
    { expiry: also(expiry, (question) => !expOf(question)) },
  ),
  mistake(
    "expiry-only-numbers-compared",
    "does not compare `exp` if it is not a number",
    'The code compares only under `typeof … === "number"`, and lets everything else pass.',
    { expiry: also(expiry, (question) => typeof expOf(question) !== "number") },
  ),
  mistake(
    "expiry-text-not-compared",
    "does not compare `exp` if it is a string",
    "The comparison of a string with a number is false either way.",
    { expiry: also(expiry, (question) => typeof expOf(question) === "string") },
  ),
  mistake(
    "not-before-unchecked",
    "accepts a token before its `nbf`",
    "The code checks `exp` alone.",
    { notBefore: (question) => (notBefore(question) ? TAKEN : undefined) },
  ),
  mistake(
    "expiry-not-positive-skipped",
    "treats an `exp` of 0 or less as never",
    "The code compares only where `exp` is greater than 0.",
    { expiry: also(expiry, (question) => Number(expOf(question)) <= 0) },
  ),
  ...kindMistakes({
    stem: "expiry",
    claim: "`exp`",
    check: "expiry",
    right: expiry,
    given: expOf,
  }),
];
