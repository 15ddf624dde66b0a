import { createHash } from "node:crypto";

import { ruleOfCase } from "../../../contract/ids.ts";
import type { Outcome } from "../../../engine/events.ts";
import { isJudged } from "../../../engine/judge.ts";
import { groupBy } from "../../../lib/group-by.ts";
import type { Report, ReportCase } from "../../../report/report.ts";

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
  /** Number of cases from which the sample was drawn. */
  readonly of: number;
  /** Number of cases that were judged in both. */
  readonly compared: number;
  /** A number of wrong cases, and the chance that these comparisons show one of them; see `chanceOf`. */
  readonly wrong: number;
  readonly chance: number;
  readonly others: readonly OtherOutcome[];
}

/**
 * The cases of which a sample can be drawn: the report judged them, and their two tries did not disagree.
 * @param known ids of the cases that the run can have
 */
export function comparable(report: Report, known: ReadonlySet<string>): ReportCase[] {
  return casesOf(report).filter((one) => isJudged(one) && !one.flaky && known.has(one.id));
}

/**
 * Draws a sample that is spread evenly over rules and levels. Each case has the same chance to be in it.
 * @param most size of the sample; all cases if there are fewer
 * @returns the ids
 */
export function sampleOf(cases: readonly ReportCase[], most: number, seed: number): string[] {
  const strata = groupBy(cases, ({ id, level }) => `${ruleOfCase(id)} ${level}`);
  const ordered = inDrawnOrder([...strata], ([name]) => name, seed).flatMap(([, some]) =>
    inDrawnOrder(some, ({ id }) => id, seed),
  );
  const size = Math.min(most, ordered.length);
  const start = Number.parseInt(rankOf("start", seed).slice(0, 8), 16) / 2 ** 32;
  return Array.from({ length: size }, (_, at) =>
    Math.floor(((start + at) * ordered.length) / size),
  ).flatMap((at) => ordered[at]?.id ?? []);
}

function inDrawnOrder<T>(things: readonly T[], nameOf: (thing: T) => string, seed: number): T[] {
  return things
    .map((thing) => ({ thing, rank: rankOf(nameOf(thing), seed) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ thing }) => thing);
}

/** The position of a name in the order that a seed gives. */
function rankOf(name: string, seed: number): string {
  return createHash("sha256").update(`${seed} ${name}`).digest("hex");
}

/**
 * The chance that a sample has one of some wrong cases, if they are as likely in one place as in another. The sample is
 * spread over the rules, so the chance is not lower where all of them are of one rule.
 * @param size of the sample
 * @param of number of cases from which it is drawn
 * @returns from 0 to 1
 */
export function chanceOf(size: number, of: number, wrong: number): number {
  let missed = 1;
  for (let found = 0; found < Math.min(wrong, of); found++) {
    missed *= Math.max(0, of - size - found) / (of - found);
  }
  return 1 - missed;
}

/** The size of the smallest sample that has one of so many wrong cases with this chance; see `chanceOf`. */
export function sizeFor(power: number, of: number, wrong: number): number {
  let size = 0;
  while (size < of && chanceOf(size, of, wrong) < power) size += 1;
  return size;
}

/** Compares the outcomes of a sample now with the report. */
export function compareLive(
  report: Report,
  live: Report,
  sample: readonly string[],
  { seed, of, wrong }: Pick<LiveComparison, "seed" | "of" | "wrong">,
): LiveComparison {
  const told = new Map(casesOf(report).map((one) => [one.id, one]));
  const wanted = new Set(sample);
  const judged = casesOf(live).filter((one) => wanted.has(one.id) && isJudged(one));
  return {
    seed,
    asked: sample.length,
    of,
    compared: judged.length,
    wrong,
    chance: chanceOf(judged.length, of, wrong),
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
