import { type Level, LEVELS } from "../contract/levels.ts";
import type { FindingOf } from "../probe/finding.ts";
import { listFact, type Phrase, phrase } from "../probe/phrase.ts";
import { type CaseResult, OUTCOMES, type Outcome, type Verdict } from "./events.ts";
import type { Ran } from "./ran.ts";

/** Turns a finding into a result at the level of its case. */
export function judge({ planned, finding, flaky, waitedMs, blamedOn }: Ran): CaseResult {
  const { level, caseId, rule, testCase } = planned;
  const { why, source } = testCase.grounds ?? {};
  const head = {
    id: caseId,
    rule: rule.id,
    title: testCase.title ?? rule.title,
    operation: testCase.operation,
    ...(testCase.client !== undefined && { client: testCase.client }),
    ...(testCase.requirement !== undefined && { requirement: testCase.requirement }),
    ...(why !== undefined && { why }),
    ...(source !== undefined && { source }),
    level,
    ...(testCase.explored && { explored: true as const }),
    ...(flaky && { flaky }),
    ...(waitedMs !== undefined && { waitedMs: Math.round(waitedMs) }),
  };
  switch (finding.kind) {
    case "pass":
      return {
        ...head,
        outcome: level === "OBSERVE" ? "observed" : "pass",
        reason: finding.reason,
        evidence: finding.evidence,
      };
    case "fail": {
      const { expected, actual, evidence } = finding;
      return { ...head, outcome: violation(level, finding.atMost), expected, actual, evidence };
    }
    case "inconclusive":
      return {
        ...head,
        outcome: "inconclusive",
        reason: finding.reason,
        ...(finding.code !== undefined && { code: finding.code }),
        ...(blamedOn !== undefined && { blamedOn }),
        evidence: finding.evidence,
      };
    case "observed":
      return { ...head, outcome: "observed", actual: finding.value, evidence: finding.evidence };
    case "not-provisioned":
      return {
        ...head,
        outcome: "not-provisioned",
        reason: lackInWords(finding),
        missing: finding.keys,
      };
    case "not-applicable":
      return { ...head, outcome: "not-applicable", reason: finding.reason };
  }
}

/** What the profile lacks, and why what it has will not do. */
export function lackInWords({ keys, because }: FindingOf<"not-provisioned">): Phrase {
  const lacks = phrase`the profile lacks ${listFact(keys)}`;
  return because === undefined ? lacks : phrase`${lacks}: ${because}`;
}

function violation(level: Level, atMost: Level = "MUST"): Outcome {
  const effective = LEVELS[Math.max(LEVELS.indexOf(level), LEVELS.indexOf(atMost))];
  return effective === "MUST" ? "fail" : effective === "SHOULD" ? "warn" : "observed";
}

/** The worst of the outcomes of a rule's cases, or `not-applicable` for none. */
export function worst(outcomes: readonly Outcome[]): Outcome {
  return OUTCOMES.find((outcome) => outcomes.includes(outcome)) ?? "not-applicable";
}

/** The outcomes of a case that no answer decided. */
export const UNJUDGED: ReadonlySet<Outcome> = new Set([
  "inconclusive",
  "not-provisioned",
  "not-applicable",
]);

/** Whether the case showed that its requirement holds or is violated. */
export function isJudged({ outcome }: Pick<CaseResult, "outcome">): boolean {
  return outcome === "fail" || outcome === "warn" || outcome === "pass";
}

/**
 * The verdict over all selected cases.
 * @param left MUST cases that an interrupt left unjudged; default 0
 * @param isPartial whether part of the contract was left out; default false
 */
export function verdictOf(
  results: readonly Pick<CaseResult, "level" | "outcome">[],
  left = 0,
  isPartial = false,
): Verdict {
  if (results.some(({ outcome }) => outcome === "fail")) return "non-conformant";
  const unjudged = results.some(
    ({ level, outcome }) =>
      level === "MUST" && (outcome === "inconclusive" || outcome === "not-provisioned"),
  );
  if (unjudged || left > 0) return "incomplete";
  return isPartial ? "partial" : "conformant";
}

/** What decides the exit code of a run. */
export interface Ending {
  readonly verdict: Verdict;
  /** The verdict without the failures that a baseline allows; default: `verdict`. */
  readonly besideBaseline?: Verdict | undefined;
  readonly interrupted: boolean;
  readonly suiteErrors: readonly string[];
  /** Whether a SHOULD was violated; default: false. */
  readonly warned?: boolean | undefined;
}

/** What a user accepts or demands of a run. The default of each is false. */
export interface Gate {
  /** An incomplete run is good enough. */
  readonly acceptIncomplete?: boolean;
  /** Only the verdict `conformant` is good enough, whatever a baseline allows and `acceptIncomplete` says. */
  readonly requireConformant?: boolean;
  /** A run in which a SHOULD was violated is not good enough. */
  readonly failOnWarn?: boolean;
}

export type ExitCode = 0 | 1 | 2 | 3 | 130;

const WORST_FIRST = [130, 2, 1, 3] as const;

/** The worst of several exit codes, in the order that `exitCode` states. */
export function worstExitCode(codes: readonly ExitCode[]): ExitCode {
  return WORST_FIRST.find((code) => codes.includes(code)) ?? 0;
}

/**
 * The exit code of `run`: 130 (interrupted) before 2 (suite error) before 1 (non-conformant, or a warning that the
 * gate does not let pass) before 3 (incomplete, or partial where the gate requires conformant).
 */
export function exitCode(run: Ending, gate: Gate = {}): ExitCode {
  if (run.interrupted) return 130;
  if (run.suiteErrors.length > 0) return 2;
  const { requireConformant = false, acceptIncomplete = false, failOnWarn = false } = gate;
  const verdict = requireConformant ? run.verdict : (run.besideBaseline ?? run.verdict);
  if (verdict === "non-conformant" || (run.warned && failOnWarn)) return 1;
  if (requireConformant) return verdict === "conformant" ? 0 : 3;
  return verdict === "incomplete" && !acceptIncomplete ? 3 : 0;
}
