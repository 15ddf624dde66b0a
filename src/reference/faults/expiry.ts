import { OPERATION_IDS } from "../../contract/operations.ts";
import { CLOCK_SKEW_SECONDS, isNumericDate } from "../checks.ts";
import type { Call } from "../model.ts";
import { onlyOn, passing, skipped } from "../patches.ts";
import { type Fault, ownedBy, type UnownedFault, type When } from "./fault.ts";

/** Faults of check 4: tokens are accepted for longer than they state. */
export const EXPIRY_FAULTS: readonly Fault[] = ownedBy("receiver.expiry", [
  {
    name: "expiry-unchecked",
    title: "Accepts expired tokens",
    how: "The check was switched off for a test environment and stayed off.",
    checkExpiry: skipped,
  },
  ...OPERATION_IDS.map((operation): UnownedFault => ({
    name: `expiry-unchecked-on-${operation}`,
    title: `Accepts expired tokens on ${operation}`,
    how: "The route answers from a cache of sessions, or verifies tokens in its own helper.",
    checkExpiry: onlyOn(operation, skipped),
  })),
  taking("missing-accepted", {
    title: "Treats a token without `exp` as one that never expires",
    how: "Most libraries check `exp` only if it is present. Requiring it is a separate option.",
    when: (exp) => exp === undefined,
  }),
  taking("zero-accepted", {
    title: "Treats an `exp` of 0 as never",
    how: "`if (exp && exp < now)`, or the code stores an absent claim as 0.",
    when: (exp) => exp === 0,
  }),
  taking("falsy-accepted", {
    title: "Treats an `exp` that is null, false or empty as never",
    how: "`if (exp && exp < now)` is used although the claim is required.",
    when: (exp) => exp === null || exp === false || exp === "",
  }),
  taking("absent-or-null-accepted", {
    title: "Treats a token in which `exp` is missing or null as one that never expires",
    how: "`if (exp != null && exp < now)`: in most languages one value stands for both.",
    when: (exp) => exp === undefined || exp === null,
  }),
  taking("negative-accepted", {
    title: "Treats a negative `exp` as never",
    how: "-1 means a token that does not expire.",
    when: (exp) => isNumericDate(exp) && exp < 0,
  }),
  taking("32-bit", {
    title: "Reads only the last 32 bits of `exp`",
    how: "A cast to `int` keeps the last 32 bits of a number that does not fit.",
    when: (exp, now) => isNumericDate(exp) && (exp | 0) > now,
  }),
  taking("only-numbers-compared", {
    title: "Does not compare `exp` if it is not a number",
    how: "The comparison is guarded by `typeof`, without a branch for other types.",
    when: (exp) => exp !== undefined && typeof exp !== "number",
  }),
  taking("loosely-compared", {
    title: "Accepts an `exp` that is not numeric, because it is never smaller than now",
    how: "`exp < now` is false for every value that becomes NaN.",
    when: (exp, now) => exp !== undefined && !isNumericDate(exp) && !(Number(exp) < now),
  }),
  taking("text-not-compared", {
    title: "Does not compare `exp` if it is a string",
    how: "The code treats a string as a date that the caller has already checked.",
    when: (exp) => typeof exp === "string" && exp !== "",
  }),
  taking("compared-as-text", {
    title: "Compares `exp` digit by digit",
    how: "Claims are stored as text, and `>` compares text.",
    when: (exp, now) => isNumericDate(exp) && String(exp) > String(now),
  }),
  taking("only-integers-compared", {
    title: "Does not compare `exp` if it has a fraction",
    how: "The number is parsed as an integer, and other values are skipped.",
    when: (exp) => isNumericDate(exp) && !Number.isInteger(exp),
  }),
  taking("in-milliseconds", {
    title: "Mixes seconds and milliseconds when it compares `exp`",
    how: "`new Date(exp * 1000)` is compared with a clock that counts seconds.",
    when: (exp, now) => isNumericDate(exp) && exp * 1000 > now,
  }),
  taking("judged-by-iat", {
    title: "Accepts a token for an hour after `iat`, whatever its `exp`",
    how: "A maximum age replaced the check instead of complementing it.",
    when: (exp, now, { claims: { iat } }) =>
      isNumericDate(exp) && isNumericDate(iat) && now - iat < 3600,
  }),
  taking("skew-ten-minutes", {
    title: "Accepts a token for ten minutes after `exp`",
    how: "The tolerance was raised until a machine with a wrong clock was accepted.",
    when: within(600),
  }),
  taking("skew-two-hours", {
    title: "Accepts a token for two hours after `exp`",
    how: "A tolerance in minutes was read as seconds, or a time zone affects the comparison.",
    when: within(7200),
  }),
  taking("skew-in-milliseconds", {
    title: "Accepts a token for 60,000 seconds after `exp`",
    how: "The tolerance is given in milliseconds to a library that counts seconds.",
    when: within(60_000),
  }),
  {
    name: "expiry-nbf-ignored",
    title: "Accepts a token before its `nbf`",
    how: "The code checks only the claims that the contract lists.",
    checkExpiry: passing((call) =>
      within(CLOCK_SKEW_SECONDS)(call.claims["exp"], call.receiver.steps.now()),
    ),
  },
]);

function within(skewSeconds: number): (exp: unknown, now: number) => boolean {
  return (exp, now) => isNumericDate(exp) && now < exp + skewSeconds;
}

function taking(
  name: string,
  { when, ...words }: When<[exp: unknown, now: number, call: Call]>,
): UnownedFault {
  return {
    ...words,
    name: `expiry-${name}`,
    checkExpiry: passing(
      (call) =>
        call.claims["nbf"] === undefined &&
        when(call.claims["exp"], call.receiver.steps.now(), call),
    ),
  };
}
