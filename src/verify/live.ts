import { createHash } from "node:crypto";

import type { Outcome } from "../engine/events.ts";
import { isJudged } from "../engine/judge.ts";
import type { Report, ReportCase } from "../report/report.ts";

/** A case with another outcome than in the report. */
export interface OtherOutcome {
  readonly case: string;
  readonly told: Outcome;
  readonly live: Outcome;
  /** What was seen now, in words. */
  readonly actual?: string | undefined;
}

/** A sample of a report's cases, compared with the same cases in a run now. */
export interface LiveComparison {
  /** Seed of the sample and of its run. */
  readonly seed: number;
  readonly asked: number;
  /** Number of cases that were judged in both. */
  readonly compared: number;
  readonly others: readonly OtherOutcome[];
}

/**
 * Draws a sample of the cases that a report judged and whose two tries did not disagree.
 * @param known ids of the cases that the run can have
 * @param most size of the sample; all cases if there are fewer
 */
export function sampleOf(
  report: Report,
  known: ReadonlySet<string>,
  most: number,
  seed: number,
): string[] {
  return casesOf(report)
    .filter((one) => isJudged(one) && !one.flaky && known.has(one.id))
    .map(({ id }) => ({ id, rank: rankOf(id, seed) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .slice(0, most)
    .map(({ id }) => id);
}

/** The position of a case in the order that a seed gives. */
function rankOf(id: string, seed: number): string {
  return createHash("sha256").update(`${seed} ${id}`).digest("hex");
}

/** Compares the outcomes of a sample now with the report. */
export function compareLive(
  report: Report,
  live: Report,
  sample: readonly string[],
  seed: number,
): LiveComparison {
  const told = new Map(casesOf(report).map((one) => [one.id, one]));
  const wanted = new Set(sample);
  const judged = casesOf(live).filter((one) => wanted.has(one.id) && isJudged(one));
  return {
    seed,
    asked: sample.length,
    compared: judged.length,
    others: judged.flatMap(({ id, outcome, actual }) => {
      const before = told.get(id)?.outcome;
      if (before === undefined || before === outcome) return [];
      return [{ case: id, told: before, live: outcome, ...(actual !== undefined && { actual }) }];
    }),
  };
}

function casesOf({ rules }: Report): ReportCase[] {
  return rules.flatMap(({ cases }) => cases);
}
