import { OPERATION_IDS } from "../../contract/operations.ts";
import { CLOCK_SKEW_SECONDS, isNumericDate } from "../checks.ts";
import type { Call } from "../model.ts";
import { passing, skipped } from "../patches.ts";
import { onEach } from "./copies.ts";
import { type FaultEntry, type Faults, ownedBy, type When } from "./fault.ts";

/** Faults of check 4: tokens are accepted for longer than they state. */
export const EXPIRY_FAULTS: Faults = ownedBy("receiver.expiry", {
  "expiry-unchecked": {
    title: "Accepts expired tokens",
    how: "The check was switched off for a test environment and stayed off.",
    checkExpiry: skipped,
  },
  ...onEach(OPERATION_IDS, "expiry-unchecked", {
    title: "Accepts expired tokens",
    how: "The route answers from a cache of sessions, or verifies tokens in its own helper.",
    checkExpiry: skipped,
  }),
  "expiry-missing-accepted": taking({
    title: "Treats a token without `exp` as one that never expires",
    how: "Most libraries check `exp` only if it is present. Requiring it is a separate option.",
    when: (exp) => exp === undefined,
  }),
  "expiry-zero-accepted": taking({
    title: "Treats an `exp` of 0 as never",
    how: "`if (exp && exp < now)`, or the code stores an absent claim as 0.",
    when: (exp) => exp === 0,
  }),
  "expiry-falsy-accepted": taking({
    title: "Treats an `exp` that is null, false or empty as never",
    how: "`if (exp && exp < now)` is used although the claim is required.",
    when: (exp) => exp === null || exp === false || exp === "",
  }),
  "expiry-absent-or-null-accepted": taking({
    title: "Treats a token in which `exp` is missing or null as one that never expires",
    how: "`if (exp != null && exp < now)`: in most languages one value stands for both.",
    when: (exp) => exp === undefined || exp === null,
  }),
  "expiry-negative-accepted": taking({
    title: "Treats a negative `exp` as never",
    how: "-1 means a token that does not expire.",
    when: (exp) => isNumericDate(exp) && exp < 0,
  }),
  "expiry-32-bit": taking({
    title: "Reads only the last 32 bits of `exp`",
    how: "A cast to `int` keeps the last 32 bits of a number that does not fit.",
    when: (exp, now) => isNumericDate(exp) && (exp | 0) > now,
  }),
  "expiry-only-numbers-compared": taking({
    title: "Does not compare `exp` if it is not a number",
    how: "The comparison is guarded by `typeof`, without a branch for other types.",
    when: (exp) => exp !== undefined && typeof exp !== "number",
  }),
  "expiry-loosely-compared": taking({
    title: "Accepts an `exp` that is not numeric, because it is never smaller than now",
    how: "`exp < now` is false for every value that becomes NaN.",
    when: (exp, now) => exp !== undefined && !isNumericDate(exp) && !(Number(exp) < now),
  }),
  "expiry-text-not-compared": taking({
    title: "Does not compare `exp` if it is a string",
    how: "The code treats a string as a date that the caller has already checked.",
    when: (exp) => typeof exp === "string" && exp !== "",
  }),
  "expiry-compared-as-text": taking({
    title: "Compares `exp` digit by digit",
    how: "Claims are stored as text, and `>` compares text.",
    when: (exp, now) => isNumericDate(exp) && String(exp) > String(now),
  }),
  "expiry-only-integers-compared": taking({
    title: "Does not compare `exp` if it has a fraction",
    how: "The number is parsed as an integer, and other values are skipped.",
    when: (exp) => isNumericDate(exp) && !Number.isInteger(exp),
  }),
  "expiry-in-milliseconds": taking({
    title: "Mixes seconds and milliseconds when it compares `exp`",
    how: "`new Date(exp * 1000)` is compared with a clock that counts seconds.",
    when: (exp, now) => isNumericDate(exp) && exp * 1000 > now,
  }),
  "expiry-judged-by-iat": taking({
    title: "Accepts a token for an hour after `iat`, whatever its `exp`",
    how: "A maximum age replaced the check instead of complementing it.",
    when: (exp, now, { claims: { iat } }) =>
      isNumericDate(exp) && isNumericDate(iat) && now - iat < 3600,
  }),
  "expiry-skew-ten-minutes": taking({
    title: "Accepts a token for ten minutes after `exp`",
    how: "The tolerance was raised until a machine with a wrong clock was accepted.",
    when: within(600),
  }),
  "expiry-skew-two-hours": taking({
    title: "Accepts a token for two hours after `exp`",
    how: "A tolerance in minutes was read as seconds, or a time zone affects the comparison.",
    when: within(7200),
  }),
  "expiry-skew-in-milliseconds": taking({
    title: "Accepts a token for 60,000 seconds after `exp`",
    how: "The tolerance is given in milliseconds to a library that counts seconds.",
    when: within(60_000),
  }),
  "expiry-nbf-ignored": {
    title: "Accepts a token before its `nbf`",
    how: "The code checks only the claims that the contract lists.",
    checkExpiry: passing((call) =>
      within(CLOCK_SKEW_SECONDS)(call.claims["exp"], call.receiver.steps.now()),
    ),
  },
});

function within(skewSeconds: number): (exp: unknown, now: number) => boolean {
  return (exp, now) => isNumericDate(exp) && now < exp + skewSeconds;
}

function taking({ when, ...fault }: When<[exp: unknown, now: number, call: Call]>): FaultEntry {
  return {
    ...fault,
    checkExpiry: passing(
      (call) =>
        call.claims["nbf"] === undefined &&
        when(call.claims["exp"], call.receiver.steps.now(), call),
    ),
  };
}
