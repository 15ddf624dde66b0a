import { SMALL_SKEW_SECONDS } from "../../../src/contract/checks.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { otherClock } from "../../../src/probe/controls/forms.ts";
import { Finding, optional } from "../../../src/probe/finding.ts";
import { phrase } from "../../../src/probe/phrase.ts";
import type { Fixture, Probe } from "../../../src/probe/probe.ts";
import { describeReply, reception } from "../../../src/probe/reception.ts";
import { nowSeconds } from "../../../src/tokens/draft.ts";

/** The second guess, after the largest skew that counts as small. An hour never does. */
const LARGEST_SECONDS = 3600;
/** Up to five guesses, and halvings: to a second within an hour, and to a five-hundredth beyond it. */
const MOST_TOKENS = 20;
const DAY_SECONDS = 86_400;
/** The guesses where a token is accepted an hour after `exp`, which no small skew allows. */
const BEYOND_SECONDS = [DAY_SECONDS, 30 * DAY_SECONDS, 5 * 365 * DAY_SECONDS];
const LONGEST_SECONDS = Math.max(...BEYOND_SECONDS);
/** The largest difference between the clock for tokens and the `Date` header, in seconds. */
const AGREEMENT_SECONDS = 5;

/**
 * Why the deployment's time cannot be determined; `undefined` where it can. Its `Date` header must
 * agree with the clock by which it accepts good tokens.
 */
export async function clockProblem(
  probe: Probe,
  operation: OperationId,
): Promise<string | undefined> {
  const found = await probe.tryControl(operation);
  // Without a control no token is sent, and the engine gives the reason.
  if ("refusal" in found) return undefined;
  const { clockOffsetSeconds: offset } = probe;
  if (offset === undefined) {
    return "the deployment sends no Date header, so its clock cannot be read";
  }
  const apart = Math.abs(offset - found.control.form.clockOffsetSeconds);
  if (apart <= AGREEMENT_SECONDS || (await goesByDate(probe, offset))) return undefined;
  return `the Date header is ${apart} s away from the clock by which tokens are accepted`;
}

/**
 * Whether the deployment uses the clock of its `Date` header, although it accepts good tokens by this
 * machine's clock. A token that expires between the two times shows it.
 */
async function goesByDate(probe: Probe, offset: number): Promise<boolean> {
  if (otherClock(offset) === undefined) return false;
  const attempt = await optional(probe.attempt(expiredFor(offset / 2, offset)));
  return (
    attempt !== undefined && reception(attempt.reply) === (offset < 0 ? "accepted" : "rejected")
  );
}

/** For how long after `exp` tokens are accepted, in seconds, and what is said about it. */
export interface MeasuredSkew {
  /** `undefined` where it could not be measured. */
  readonly skew?: {
    /** The longest time after `exp` at which a token was accepted, an hour at most; 0 where none was. */
    readonly accepted: number;
    /** The time after `exp` from which tokens are refused; `undefined`: not within an hour. */
    readonly refused: number | undefined;
  };
  readonly finding: Finding;
}

/**
 * How long after `exp` a token is still accepted, in the deployment's own time, to a second or two. It is measured once in a
 * run, with at most twenty tokens. A tolerance beyond an hour, which is a fault, is measured less exactly.
 */
export function measuredSkew(operation: OperationId): Fixture<MeasuredSkew> {
  return { name: `skew ${operation}`, scope: "run", setup: (probe) => measure(probe, operation) };
}

async function measure(probe: Probe, operation: OperationId): Promise<MeasuredSkew> {
  const problem = await clockProblem(probe, operation);
  if (problem !== undefined) return { finding: Finding.observed(phrase`not measured: ${problem}`) };
  let accepted = 0;
  let refused: number | undefined;
  const evidence: { probes: string[]; controls?: readonly string[] | undefined } = { probes: [] };
  for (let tokens = 0; tokens < MOST_TOKENS && !isExact(accepted, refused); tokens++) {
    const after = nextGuess(accepted, refused);
    const mutation = expiredFor(after, probe.clockOffsetSeconds ?? 0);
    // A small skew is allowed, so it is not wrong to accept one of them.
    const { reply, evidence: own } = await probe.attempt(mutation, {
      operation,
      purpose: "wanted",
    });
    evidence.probes.push(reply.exchange.id);
    evidence.controls = own.controls;
    switch (reception(reply)) {
      case "accepted":
        accepted = after;
        break;
      case "rejected":
        refused = after;
        break;
      default:
        return { finding: Finding.inconclusive(describeReply(reply), evidence) };
    }
  }
  const value = phrase`${range(accepted, refused)}${byWhichClock(probe.clockOffsetSeconds ?? 0)}`;
  const skew =
    accepted < LARGEST_SECONDS
      ? { accepted, refused }
      : { accepted: LARGEST_SECONDS, refused: undefined };
  return { skew, finding: Finding.observed(value, evidence) };
}

function isExact(accepted: number, refused: number | undefined): boolean {
  if (refused === undefined) return accepted >= LONGEST_SECONDS;
  return refused - accepted <= (accepted < LARGEST_SECONDS ? 1 : accepted / 500);
}

function nextGuess(accepted: number, refused: number | undefined): number {
  if (refused === undefined) {
    const guesses = [SMALL_SKEW_SECONDS, LARGEST_SECONDS, ...BEYOND_SECONDS];
    return guesses.find((guess) => guess > accepted) ?? LONGEST_SECONDS;
  }
  return Math.ceil(
    accepted < LARGEST_SECONDS ? (accepted + refused) / 2 : Math.sqrt(accepted * refused),
  );
}

function range(accepted: number, refused: number | undefined): string {
  if (refused === undefined) return `at least ${accepted} s, the longest time that was tried`;
  const from = `refused from ${refused} s after \`exp\``;
  return accepted === 0 ? `none: ${from}` : `accepted up to ${accepted} s, ${from}`;
}

function byWhichClock(offset: number): string {
  return Math.abs(offset) > AGREEMENT_SECONDS
    ? `, by the Date header, which is ${Math.abs(offset)} s ${offset > 0 ? "ahead of" : "behind"} this machine`
    : "";
}

/**
 * A token that expired some seconds ago. `iat` moves only where it would otherwise be too late.
 * @param lifetime the least time from `iat` to `exp`, in seconds
 */
export function expiredFor(seconds: number, clockOffsetSeconds: number, lifetime = 1): Mutation {
  return {
    name: `expired-${seconds}s`,
    what: `\`exp\` passed ${seconds} s ago`,
    token: {
      claims: ({ claims }) => {
        const exp = Math.floor(nowSeconds({ clockOffsetSeconds }) - seconds);
        return { exp, iat: Math.min(Number(claims["iat"]), exp - lifetime) };
      },
    },
  };
}
