import { OUTCOMES } from "../engine/events.ts";
import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import type { Comparison, Difference } from "./compare.ts";
import { heading, type Page, paragraph, table, wrap } from "./layout.ts";
import { printableAll } from "./untrusted.ts";

/** More cases of a rule that differ in the same way share one row. */
const CASES_NAMED = 3;

export function comparisonPage(page: Page, comparison: Comparison): string[] {
  const shown = printableAll(comparison, 2000);
  const { runs, given, outcomes, observations, equal, sameTarget } = shown;
  return [
    heading(page, sameTarget ? `Runs of ${runs[0]?.baseUrl}` : "Deployments"),
    "",
    ...table(
      page,
      2,
      runs.map(({ file, baseUrl, verdict, packs, startedAt }, index) => [
        nameOf(index),
        [verdict, ...packs.map((pack) => `${pack.title}: ${pack.verdict}`)].join("; "),
        startedAt,
        sameTarget ? file : `${baseUrl} (${file})`,
      ]),
    ),
    ...(sameTarget ? trend(page, shown) : []),
    ...section(page, "Inputs that differ", given),
    ...section(page, "Outcomes that differ", byRule(outcomes)),
    ...section(page, "Differences in what the contract leaves open", observations),
    "",
    ...paragraph(
      page,
      0,
      `The same in every report that has them: ${counted(equal.outcomes, "outcome")}, ${counted(equal.observations, "observation")}.`,
    ),
    ...paragraph(page, 0, sameTarget ? whoChanged(shown) : meaning(shown)).map(page.colors.bold),
  ];
}

const BARS = "▁▂▃▄▅▆▇█";

/** The number of cases of each outcome from run to run: a row of bars, then the figures. */
function trend(page: Page, { runs }: Comparison): string[] {
  const rows = OUTCOMES.map(
    (outcome) => [outcome, runs.map(({ counts }) => counts[outcome] ?? 0)] as const,
  )
    .filter(([, counts]) => counts.some((count) => count > 0))
    .map(([outcome, counts]) => [
      outcome,
      counts.map((count) => bar(count, Math.max(...counts))).join(""),
      counts.join(", "),
    ]);
  return ["", heading(page, "From run to run"), "", ...table(page, 2, rows)];
}

function bar(count: number, most: number): string {
  return count === 0 ? "·" : (BARS[Math.ceil((count / most) * BARS.length) - 1] ?? "");
}

/** Values in columns if they fit, else one below the other. */
function section(page: Page, title: string, rows: readonly Difference[]): string[] {
  if (rows.length === 0) return [];
  const runs = rows[0]?.values.length ?? 0;
  const cells = rows.map((row) => ({
    label: labelOf(row),
    values: row.values.map((value) => value ?? "–"),
  }));
  const room = Math.floor((page.width * 0.6) / runs) - 2;
  const fits = ({ values }: { values: string[] }): boolean =>
    values.every(({ length }) => length <= room);
  const names = Array.from({ length: runs }, (_, index) => nameOf(index));
  const beside = cells.filter(fits);
  if (beside.length > 0) beside.unshift({ label: "", values: names });
  return [
    "",
    heading(page, title),
    ...(beside.length > 0 ? ["", ...besides(page, beside)] : []),
    ...cells
      .filter((row) => !fits(row))
      .flatMap(({ label, values }) => [
        "",
        ...paragraph(page, 2, label),
        ...table(
          page,
          4,
          values.map((value, index) => [nameOf(index), value]),
        ),
      ]),
  ];
}

/** Rows whose values stand unbroken; labels are wrapped to the width that is left. */
function besides(page: Page, rows: readonly { label: string; values: string[] }[]): string[] {
  const value = 2 + Math.max(...rows.flatMap(({ values }) => values.map(({ length }) => length)));
  const left = page.width - 2 - value * (rows[0]?.values.length ?? 0);
  const lines = rows.map(({ label }) => wrap(label, left));
  const widest = Math.max(...lines.flat().map(({ length }) => length));
  return rows.flatMap(({ values }, row) =>
    (lines[row] ?? []).map((line, at) => {
      const beside = at === 0 ? values.map((one) => `  ${one.padEnd(value - 2)}`).join("") : "";
      return `  ${line.padEnd(widest)}${beside}`.trimEnd();
    }),
  );
}

function labelOf({ subject, title }: Difference): string {
  return subject === undefined || title.includes(subject) ? title : `${title} @${subject}`;
}

/** The differences, with one row for many cases of a rule that differ in the same way. */
function byRule(outcomes: readonly Difference[]): Difference[] {
  const alike = groupBy(outcomes, ({ rule, values }) => JSON.stringify([rule, values]));
  return [...alike.values()].flatMap((cases) => {
    const [{ rule = "", values }] = cases;
    const title = `${rule} (${counted(cases.length, "case")})`;
    return cases.length <= CASES_NAMED ? cases : [{ id: rule, title, values }];
  });
}

function nameOf(index: number): string {
  return `#${index + 1}`;
}

function meaning({ observations }: Comparison): string {
  return observations.length === 0
    ? "They do not differ in anything that the contract leaves open and that was observed."
    : `They differ in ${counted(observations.length, "thing")} that the contract leaves open. Even if all conform, a client that works with one may not work with another.`;
}

const GIVEN = {
  suite: "the suite",
  profile: "the profile, or the choice of cases",
  run: "how far the run got",
} as const;

function whoChanged({ given, outcomes, observations, runs }: Comparison): string {
  const others = new Set(given.flatMap(({ of }) => (of === "seed" ? [] : [GIVEN[of]])));
  if (outcomes.length === 0 && observations.length === 0) {
    return given.length === 0
      ? "Nothing changed."
      : "The input of the run changed; its results did not.";
  }
  if (others.size > 0) {
    return `The runs differ in ${[...others].join(" and ")}. The other changes may come from that, or from the target.`;
  }
  const same = "Suite and profile are the same, as far as the reports show";
  return given.length === 0
    ? `${same}, and so is the seed, so the target changed.`
    : `${same}. The changes come from the target, or from inputs of another seed. \`--seed ${runs[0]?.seed}\` repeats those of #1.`;
}
