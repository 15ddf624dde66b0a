import { earliestNowSeconds, latestNowSeconds, type TokenDraft } from "../../tokens/draft.ts";
import {
  because,
  type InvalidMutation,
  type Mutation,
  type MutationContext,
  open,
  type Patch,
} from "../mutation.ts";

/** Tokens that have expired, do not say when they expire, or are not valid yet. */

const HOUR_SECONDS = 3600;

/** A skew of up to five minutes counts as small. The rest is for the inaccuracy of `Date`. */
const WELL_BEYOND_SECONDS = 310;

const hourAgo = ({ form }: MutationContext): number => earliestNowSeconds(form) - HOUR_SECONDS;

const head = {
  refused: {
    check: "expiry",
    why: "expired tokens are rejected, and an hour is not a small clock skew",
    source: "contract, Receiver checks 4; RFC 7519 §4.1.4",
  },
} as const;

function passed(
  name: string,
  what: string,
  exp: (context: MutationContext) => unknown,
): InvalidMutation {
  return {
    ...head,
    name,
    what: `\`exp\` ${what}`,
    token: { claims: (_draft, context) => ({ exp: exp(context) }) },
  };
}

/** An `exp` in the distant past, by whatever clock. */
const longPast: typeof passed = (...args) => because(passed(...args), { atAnyTime: true });

function timeless(name: string, what: string, exp: unknown): InvalidMutation {
  return because(
    passed(name, what, () => exp),
    {
      why: "`exp` is a required number; without it, a receiver cannot know that the token has not expired",
      source: "contract, Receiver checks 4, Token claims; RFC 7519 §2, §4.1.4",
      requirement: "claims.exp",
      atAnyTime: true,
    },
  );
}

export const expired: InvalidMutation = passed("hour-ago", "passed an hour ago", hourAgo);

export const lifetimePast: InvalidMutation = {
  ...head,
  name: "lifetime-past",
  what: "the whole lifetime, `iat` to `exp`, ended an hour ago",
  token: {
    claims: (_draft, context) => ({ iat: hourAgo(context) - HOUR_SECONDS, exp: hourAgo(context) }),
  },
};

/** The most common ways in which `exp` states no time. */
export const expiryGaps: readonly InvalidMutation[] = [
  timeless("missing", "is missing", undefined),
  timeless("null", "is null", null),
  longPast("zero", "is 0", () => 0),
  timeless("text", "is the word `never`", "never"),
];

/**
 * Times in the distant past that careless code takes for none or for the future, and values that are
 * no time.
 */
export const oddExpiries: readonly InvalidMutation[] = [
  longPast("negative", "is negative", () => -1),
  longPast(
    "negative-32-bit",
    "is negative, and the last 32 bits of the number are a time in an hour",
    ({ form }) => latestNowSeconds(form) + HOUR_SECONDS - 2 ** 32,
  ),
  longPast("digit", "is 9, which is in the future where times are compared as text", () => 9),
  passed(
    "fraction-past",
    "passed an hour ago, and is not a whole number",
    // Not within the hour: a skew of an hour is another fault.
    (context) => hourAgo(context) - 0.5,
  ),
  passed("string-past", "is a string of digits, an hour ago", (context) =>
    String(hourAgo(context)),
  ),
  timeless("empty", "is an empty string", ""),
  timeless("true", "is `true`", true),
  timeless("false", "is `false`", false),
  timeless("object", "is an empty object", {}),
  timeless("array-empty", "is an empty array", []),
];

/** More than any small skew, but less than an hour. */
export const beyondSmallSkew: InvalidMutation = {
  ...because(
    passed(
      "beyond-300s",
      "passed more than five minutes ago",
      ({ form }) => earliestNowSeconds(form) - WELL_BEYOND_SECONDS,
    ),
    {
      why: "at most a small clock skew is allowed: no more than a few minutes",
      requirement: "rfc7519.exp-leeway",
    },
  ),
  level: "SHOULD",
};

export const notYetValid: InvalidMutation = {
  name: "nbf-future",
  what: "`nbf` is an hour ahead",
  refused: {
    check: "expiry",
    why: "a token must not be accepted before `nbf`; the contract's checks do not name the claim",
    source: "RFC 7519 §4.1.5",
    requirement: "rfc7519.nbf",
  },
  level: "SHOULD",
  token: { claims: (_draft, { form }) => ({ nbf: latestNowSeconds(form) + HOUR_SECONDS }) },
};

/** Times about which the contract is silent. */
export const openTimes: readonly Mutation[] = [
  timed("string-future", "`exp` is a string of digits, ten minutes ahead", ({ exp }) => ({
    exp: String(exp),
  })),
  timed("array-future", "`exp` is an array of a time ten minutes ahead", ({ exp }) => ({
    exp: [exp],
  })),
  timed("milliseconds", "`exp` is in milliseconds", ({ exp }) => ({ exp: Number(exp) * 1000 })),
  open("infinite", "`exp` is 1e400, which most parsers take for infinity", {
    token: {
      payload: (claims) =>
        JSON.stringify({ ...claims, exp: "" }).replace('"exp":""', '"exp":1e400'),
    },
  }),
  timed("lifetime-ten-years", "`exp` is ten years ahead", ({ exp }) => ({
    exp: Number(exp) + 10 * 365 * 24 * HOUR_SECONDS,
  })),
  timed("iat-future", "`iat` is just before an `exp` that is ten minutes ahead", ({ exp }) => ({
    iat: Number(exp) - 60,
  })),
  timed("iat-after-exp", "`iat` is an hour later than `exp`", ({ exp }) => ({
    iat: Number(exp) + HOUR_SECONDS,
  })),
  timed("nbf-text", "`nbf` is a word", () => ({ nbf: "never" })),
];

function timed(
  name: string,
  what: string,
  change: (claims: TokenDraft["claims"]) => Patch,
): Mutation {
  return open(name, what, { token: { claims: ({ claims }) => change(claims) } });
}
