import { isDeepStrictEqual } from "node:util";

import { LEVELS } from "../contract/levels.ts";
import { scopeOf } from "../engine/conclusion/conclude.ts";
import {
  HAS_BAILED,
  verdictText,
  WAS_GIVEN_UP,
  WAS_INTERRUPTED,
  WAS_TIMED_OUT,
} from "../engine/conclusion/verdict-text.ts";
import { type CaseResult, type Coverage, OUTCOMES, type Scope } from "../engine/events.ts";
import { exitCode, isJudged, verdictOf, worst } from "../engine/judge.ts";
import type { Plan } from "../engine/plan.ts";
import { capitalized } from "../lib/words.ts";
import type { Report } from "../report/report.ts";
import type { Note, Verification } from "./verification.ts";

/** Notes each total and conclusion that does not follow from the cases. */
export function checkTotals(
  report: Report,
  plan: Plan | undefined,
  results: readonly CaseResult[],
  note: Note,
): Pick<Verification, "verdict" | "exitCode"> {
  checkCounts(report, results, note);
  for (const [at, { id, outcome, cases }] of report.rules.entries()) {
    const expected = worst(cases.map((one) => one.outcome));
    if (outcome !== expected) {
      note(
        `/rules/${at}/outcome`,
        `the rule ${id} has the outcome ${expected}, the worst of its cases`,
      );
    }
  }
  const musts = results.filter(({ level }) => level === "MUST");
  const planned = plan?.cases.filter(({ level }) => level === "MUST").length ?? musts.length;
  const left = report.interrupted ? Math.max(0, planned - musts.length) : 0;
  const partialBecause = plan ? reasonsFor(report, plan) : report.partialBecause;
  compare("/partialBecause", report.partialBecause, partialBecause);
  const isPartial = partialBecause.length > 0;
  compare("/partial", report.partial, isPartial);
  const verdict = verdictOf(results, left, isPartial);
  compare("/verdict", report.verdict, verdict);
  if (plan) {
    const coverage = { judged: musts.filter(isJudged).length, total: plan.allMusts };
    compare("/coverage", report.coverage, coverage);
    const scope = scopeOf(plan, results);
    compare("/scope", report.scope, scope);
    checkText(coverage, scope);
  }
  return {
    verdict,
    exitCode: exitCode({
      verdict,
      interrupted: report.interrupted,
      suiteErrors: report.suiteErrors,
    }),
  };

  function compare(where: string, recorded: unknown, expected: unknown): void {
    if (isDeepStrictEqual(recorded, expected)) return;
    note(where, `it follows from the cases and the plan to be ${JSON.stringify(expected)}`);
  }

  function checkText(coverage: Coverage, { sides }: Scope): void {
    const wantTestIssuer = plan?.wantTestIssuer ?? 0;
    const { pack } = report.plan;
    const course = { left, pack, partialBecause, coverage, wantTestIssuer, sides };
    const cause = causeIn(report);
    const possible = [false, true].map((blocked) =>
      verdictText(verdict, results, { ...course, blocked, cause }),
    );
    if (!possible.includes(report.verdictText)) {
      note("/verdictText", `it follows to be: ${possible[0]}`);
    }
  }
}

/** Why cases could not be judged, as the verdict says, where a set-up problem begins with it. */
function causeIn({ verdictText: told, setup }: Report): string | undefined {
  const cause = /could not be judged: ([^]+?)\. /.exec(told)?.[1];
  const isTold = setup.some(
    ({ problem }) => cause !== undefined && problem.startsWith(capitalized(cause)),
  );
  return isTold ? cause : undefined;
}

/**
 * Reasons of a partial verdict. A report must state itself what ended its run early, because its
 * cases only show that they were not judged.
 */
function reasonsFor({ interrupted, partialBecause }: Report, plan: Plan): string[] {
  return [
    ...plan.partialBecause,
    ...(interrupted ? [WAS_INTERRUPTED] : []),
    ...[WAS_TIMED_OUT, WAS_GIVEN_UP, HAS_BAILED].filter((reason) =>
      partialBecause.includes(reason),
    ),
  ];
}

function checkCounts({ counts }: Report, results: readonly CaseResult[], note: Note): void {
  for (const level of LEVELS) {
    for (const outcome of OUTCOMES) {
      const expected = results.filter(
        (result) => result.level === level && result.outcome === outcome,
      ).length;
      if (counts[level][outcome] !== expected) {
        note(`/counts/${level}/${outcome}`, `there are ${expected} such cases`);
      }
    }
  }
}
