import type { Side } from "../../contract/ids.ts";
import { counted, uncapitalized } from "../../lib/words.ts";
import type { CaseResult, RunFinished, Verdict } from "../events.ts";

/** Why an interrupted run covers less than its plan. */
export const WAS_INTERRUPTED = "the run was interrupted";
/** Why a run that its time limit ended covers less than its plan. */
export const WAS_TIMED_OUT = "its time limit was reached";
/** Why a run that lost too much time covers less than its plan. */
export const WAS_GIVEN_UP =
  "too many requests got no complete answer, or all answers together were too large";

/** Why a run that `--bail` ended covers less than its plan. */
export const HAS_BAILED = "it ended at the first violation of a MUST";

/** The facts about a run that its results do not hold. */
interface Course extends Pick<RunFinished, "partialBecause" | "coverage"> {
  /** The name of the pack whose verdict it is. Default: it is the contract's. */
  readonly pack?: string | undefined;
  /** MUST cases that an interrupt left unjudged. */
  readonly left: number;
  /** MUST cases that need a test issuer's key, where tokens are issued. */
  readonly wantTestIssuer: number;
  /** The sides with a judged case. */
  readonly sides: readonly Side[];
  /** Whether the run stopped after its preflight because nothing was accepted. */
  readonly blocked: boolean;
  /** Why cases could not be judged, as a clause, if that is known. */
  readonly cause?: string | undefined;
}

/** The verdict as a sentence that can be quoted: what was found, and what it covers. */
export function verdictText(
  verdict: Verdict,
  results: readonly CaseResult[],
  {
    left,
    pack,
    partialBecause,
    coverage: { judged, total },
    wantTestIssuer,
    sides,
    blocked,
    cause,
  }: Course,
): string {
  const musts = results.filter(({ level }) => level === "MUST");
  const failed = musts.filter(({ outcome }) => outcome === "fail");
  const open = musts.filter(({ outcome }) => /inconclusive|not-provisioned/.test(outcome));
  const rules = new Set(failed.map(({ rule }) => rule)).size;
  const warned = results.filter(({ outcome }) => outcome === "warn").length;
  const warnings = warned > 0 ? ` ${counted(warned, "case")} broke a SHOULD (see Warnings).` : "";
  // A case of a MUST can warn, because it saw only advice violated.
  const held = musts.some(({ outcome }) => outcome === "warn")
    ? "No MUST is violated."
    : "Every MUST that applies holds.";
  const soFar = blocked
    ? "No good token was accepted, so the run stopped after its first requests."
    : "No MUST that was judged is violated.";
  const whole = pack ?? "the contract";
  const found = {
    conformant: `Conformant. ${held}${warnings}`,
    "non-conformant": `Not conformant. ${counted(failed.length, "MUST case")} of ${counted(rules, "rule")} failed.`,
    incomplete: `Incomplete. ${soFar} ${counted(open.length + left, "MUST case")} could not be judged${cause === undefined ? "" : `: ${cause}`}.${warnings}`,
    partial: `Partial. No MUST that was judged is violated, but part of ${whole} was left out.${warnings}`,
  }[verdict];
  const covered =
    partialBecause.length > 0
      ? ` ${judged} of ${counted(total, "MUST case")} of ${whole} ${judged === 1 ? "was" : "were"} judged: ${partialBecause.join("; ")}.`
      : "";
  const more =
    wantTestIssuer > 0
      ? ` A test issuer would add ${wantTestIssuer} of ${counted(total, "MUST case")}.`
      : "";
  if (pack !== undefined) return `${pack}: ${uncapitalized(found)}${covered}`;
  return `${found}${covered}${more} The verdict covers ${COVERED[sides.join(" ")] ?? sides.join(" and ")}.`;
}

const COVERED: Readonly<Record<string, string>> = {
  receiver: "the receiver only, not its authorization server",
  "receiver authorization-server": "the receiver and its authorization server",
  "authorization-server": "the authorization server only, not the receiver",
};
