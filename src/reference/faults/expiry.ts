import { OPERATION_IDS } from "../../contract/operations.ts";
import type { Call } from "../call.ts";
import { CLOCK_SKEW_SECONDS, isNumericDate } from "../checks.ts";
import { onlyOn, passing, skipped, type Fault } from "./fault.ts";

const RULE = "receiver.expiry";

/** Faults of check 4: tokens are good for longer than they say. */
export const EXPIRY_FAULTS: readonly Fault[] = [
  {
    name: "expiry-unchecked",
    title: "An expired token is accepted",
    rule: RULE,
    how: "The check of times was switched off for a test environment and stayed off.",
    step: "checkExpiry",
    patch: skipped,
  },
  ...OPERATION_IDS.map((operation): Fault => ({
    name: `expiry-unchecked-on-${operation}`,
    title: `${operation} accepts expired tokens`,
    rule: RULE,
    how: "The route answers from a cache of sessions, or verifies tokens in a helper of its own.",
    step: "checkExpiry",
    patch: onlyOn(operation, skipped),
  })),
  taking("missing-accepted", {
    title: "A token without `exp` never expires",
    how: "Most libraries check `exp` only where it is present; to require it is an option of its own.",
    when: (exp) => exp === undefined,
  }),
  taking("zero-accepted", {
    title: "An `exp` of 0 never comes",
    how: "`if (exp && exp < now)`, or 0 is what the absence of a claim is stored as.",
    when: (exp) => exp === 0,
  }),
  taking("falsy-accepted", {
    title: "An `exp` that is null, false or empty never comes",
    how: "`if (exp && exp < now)` stands where the claim had to be required.",
    when: (exp) => exp === null || exp === false || exp === "",
  }),
  taking("negative-accepted", {
    title: "A negative `exp` never comes",
    how: "-1 stands for a token that does not expire.",
    when: (exp) => isNumericDate(exp) && exp < 0,
  }),
  taking("only-numbers-compared", {
    title: "`exp` that is no number is not compared",
    how: "The comparison is guarded by `typeof`, and there is nothing for the other case.",
    when: (exp) => exp !== undefined && typeof exp !== "number",
  }),
  taking("loosely-compared", {
    title: "`exp` that is no number is never smaller than now",
    how: "`exp < now` is false for everything that is made NaN.",
    when: (exp, now) => exp !== undefined && !isNumericDate(exp) && !(Number(exp) < now),
  }),
  taking("text-not-compared", {
    title: "`exp` that is a string is not compared",
    how: "A string is taken for a date that the caller has looked at already.",
    when: (exp) => typeof exp === "string" && exp !== "",
  }),
  taking("compared-as-text", {
    title: "`exp` is compared digit by digit",
    how: "Claims are kept as text, and `>` compares text.",
    when: (exp, now) => isNumericDate(exp) && String(exp) > String(now),
  }),
  taking("only-integers-compared", {
    title: "`exp` with a fraction is not compared",
    how: "The number is parsed as an integer, and what is none is passed over.",
    when: (exp) => isNumericDate(exp) && !Number.isInteger(exp),
  }),
  taking("in-milliseconds", {
    title: "`exp` is taken for milliseconds in one place, now for seconds in another",
    how: "`new Date(exp * 1000)` is compared with a clock that counts seconds.",
    when: (exp, now) => isNumericDate(exp) && exp * 1000 > now,
  }),
  taking("judged-by-iat", {
    title: "A token is good for an hour after `iat`, whatever its `exp`",
    how: "A maximum age was put in the place of the check instead of beside it.",
    when: (exp, now, { claims: { iat } }) =>
      isNumericDate(exp) && isNumericDate(iat) && now - iat < 3600,
  }),
  taking("skew-ten-minutes", {
    title: "A token is good for ten minutes after `exp`",
    how: "The tolerance was raised until a machine with a bad clock got in.",
    when: within(600),
  }),
  taking("skew-two-hours", {
    title: "A token is good for two hours after `exp`",
    how: "A tolerance in minutes was taken for one in seconds, or a time zone got into the comparison.",
    when: within(7200),
  }),
  {
    name: "expiry-nbf-ignored",
    title: "A token is good before its `nbf`",
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
    title,
    how,
    when,
  }: {
    readonly title: string;
    readonly how: string;
    readonly when: (exp: unknown, now: number, call: Call) => boolean;
  },
): Fault {
  return {
    name: `expiry-${name}`,
    title,
    rule: RULE,
    how,
    step: "checkExpiry",
    patch: passing(
      (call) =>
        call.claims["nbf"] === undefined &&
        when(call.claims["exp"], call.receiver.steps.now(), call),
    ),
  };
}
