import { OPERATION_IDS } from "../../contract/operations.ts";
import { CLOCK_SKEW_SECONDS, isNumericDate } from "../checks.ts";
import type { Call } from "../model.ts";
import { onlyOn, passing, skipped, type Fault, type FaultWords } from "./fault.ts";

const RULE = "receiver.expiry";

/** Faults of check 4: tokens are good for longer than they say. */
export const EXPIRY_FAULTS: readonly Fault[] = [
  {
    name: "expiry-unchecked",
    title: "Accepts expired tokens",
    rule: RULE,
    how: "The check of times was switched off for a test environment and stayed off.",
    step: "checkExpiry",
    patch: skipped,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `expiry-unchecked-on-${operation}`,
    title: `Accepts expired tokens on ${operation}`,
    rule: RULE,
    how: "The route answers from a cache of sessions, or verifies tokens in a helper of its own.",
    step: "checkExpiry",
    patch: onlyOn(operation, skipped),
  })),
  taking("missing-accepted", {
    title: "Takes a token without `exp` for one that never expires",
    how: "Most libraries check `exp` only where it is present; to require it is an option of its own.",
    when: (exp) => exp === undefined,
  }),
  taking("zero-accepted", {
    title: "Takes an `exp` of 0 for never",
    how: "`if (exp && exp < now)`, or 0 is what the absence of a claim is stored as.",
    when: (exp) => exp === 0,
  }),
  taking("falsy-accepted", {
    title: "Takes an `exp` that is null, false or empty for never",
    how: "`if (exp && exp < now)` stands where the claim had to be required.",
    when: (exp) => exp === null || exp === false || exp === "",
  }),
  taking("negative-accepted", {
    title: "Takes a negative `exp` for never",
    how: "-1 stands for a token that does not expire.",
    when: (exp) => isNumericDate(exp) && exp < 0,
  }),
  taking("only-numbers-compared", {
    title: "Does not compare `exp` where it is no number",
    how: "The comparison is guarded by `typeof`, and there is nothing for the other case.",
    when: (exp) => exp !== undefined && typeof exp !== "number",
  }),
  taking("loosely-compared", {
    title: "Compares `exp` with now even where it is no number, and so never smaller",
    how: "`exp < now` is false for everything that is made NaN.",
    when: (exp, now) => exp !== undefined && !isNumericDate(exp) && !(Number(exp) < now),
  }),
  taking("text-not-compared", {
    title: "Does not compare `exp` where it is a string",
    how: "A string is taken for a date that the caller has looked at already.",
    when: (exp) => typeof exp === "string" && exp !== "",
  }),
  taking("compared-as-text", {
    title: "Compares `exp` digit by digit",
    how: "Claims are kept as text, and `>` compares text.",
    when: (exp, now) => isNumericDate(exp) && String(exp) > String(now),
  }),
  taking("only-integers-compared", {
    title: "Does not compare `exp` where it has a fraction",
    how: "The number is parsed as an integer, and what is none is passed over.",
    when: (exp) => isNumericDate(exp) && !Number.isInteger(exp),
  }),
  taking("in-milliseconds", {
    title: "Mixes seconds and milliseconds when it compares `exp`",
    how: "`new Date(exp * 1000)` is compared with a clock that counts seconds.",
    when: (exp, now) => isNumericDate(exp) && exp * 1000 > now,
  }),
  taking("judged-by-iat", {
    title: "Takes a token for an hour after `iat`, whatever its `exp`",
    how: "A maximum age was put in the place of the check instead of beside it.",
    when: (exp, now, { claims: { iat } }) =>
      isNumericDate(exp) && isNumericDate(iat) && now - iat < 3600,
  }),
  taking("skew-ten-minutes", {
    title: "Takes a token for ten minutes after `exp`",
    how: "The tolerance was raised until a machine with a bad clock got in.",
    when: within(600),
  }),
  taking("skew-two-hours", {
    title: "Takes a token for two hours after `exp`",
    how: "A tolerance in minutes was taken for one in seconds, or a time zone got into the comparison.",
    when: within(7200),
  }),
  {
    name: "expiry-nbf-ignored",
    title: "Takes a token before its `nbf`",
    rule: RULE,
    how: "Only the claims that the contract lists are looked at.",
    step: "checkExpiry",
    patch: passing((call) =>
      within(CLOCK_SKEW_SECONDS)(call.claims["exp"], call.receiver.steps.now()),
    ),
  },
];

function within(skewSeconds: number): (exp: unknown, now: number) => boolean {
  return (exp, now) => isNumericDate(exp) && now < exp + skewSeconds;
}

function taking(
  name: string,
  {
    when,
    ...words
  }: FaultWords & { readonly when: (exp: unknown, now: number, call: Call) => boolean },
): Fault {
  return {
    ...words,
    name: `expiry-${name}`,
    rule: RULE,
    step: "checkExpiry",
    patch: passing(
      (call) =>
        call.claims["nbf"] === undefined &&
        when(call.claims["exp"], call.receiver.steps.now(), call),
    ),
  };
}
