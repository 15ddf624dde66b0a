import { SIDES } from "../contract/ids.ts";
import { groupBy } from "../lib/group-by.ts";
import { counted } from "../lib/words.ts";
import { deploymentText, heading, type Page, paragraph, table } from "../report/layout.ts";
import type { Report } from "../report/report.ts";
import { printableAll } from "../report/untrusted.ts";
import { MISSING } from "./missing.ts";
import type { TakenOutcomes, Verification } from "./verification.ts";

/** More discrepancies are only counted. */
const MOST_SHOWN = 50;

/** The result of judging a report again, as text. The answer comes first. */
export function verificationPage(page: Page, report: Report, verification: Verification): string[] {
  const { discrepancies, cases, judgedAgain, unjudged, taken } = printableAll(verification);
  const more = discrepancies.length - MOST_SHOWN;
  return [
    ...paragraph(page, 0, answer(report, verification)).map(page.colors.bold),
    "",
    ...table(page, 2, about(report)),
    ...(discrepancies.length > 0 ? ["", heading(page, "What does not follow"), ""] : []),
    ...discrepancies
      .slice(0, MOST_SHOWN)
      .flatMap(({ where, case: id, what }) => [
        ...paragraph(page, 2, id === undefined ? where : `${id}  (${where})`),
        ...paragraph(page, 4, what),
      ]),
    ...(more > 0 ? ["", `  and ${more} more`] : []),
    "",
    heading(page, "What was judged again"),
    "",
    ...table(page, 2, [
      ["judged again", `${judgedAgain} of ${counted(cases, "case")}`],
      ["not judged", `${unjudged}: inconclusive, not provisioned or not applicable, as it says`],
      ["not re-checked", `${sum(taken)}${taken.length > 0 ? ", because" : ""}`],
    ]),
    ...reasons(taken).flatMap(({ why, live, rules, cases: n }) => [
      ...paragraph(page, 4, `${n}: ${why}; --live ${live}`),
      ...paragraph(page, 6, rules),
    ]),
  ];
}

/** What a verification shows, in a sentence or two: whether the report is consistent, and what that certifies. */
export function answer(
  report: Report,
  { consistent, verdict, discrepancies }: Verification,
): string {
  if (!consistent) {
    const places = counted(discrepancies.length, "place");
    return `Not consistent: ${places} ${discrepancies.length === 1 ? "does" : "do"} not follow. The report certifies nothing.`;
  }
  const left = notCertified(printableAll({ ...report, exchanges: {} }));
  const without =
    left.length > 0
      ? `Not certified: ${left.join("; ")}.`
      : "Nothing of the contract was left out.";
  return `Consistent. The evidence supports: ${verdict}. ${without}`;
}

/** What the verdict of a report does not cover, as phrases. */
function notCertified({ scope, partialBecause, counts }: Report): string[] {
  const open = counts.MUST.inconclusive + counts.MUST["not-provisioned"];
  const sides = SIDES.filter((side) => !scope.sides.includes(side));
  return [
    ...sides.map((side) => `the ${side.replace("-", " ")}`),
    ...partialBecause,
    ...(open > 0 ? [`${counted(open, "MUST case")} that could not be judged`] : []),
  ];
}

/** The deployment, the run and the suite of a report, with labels. */
export function about(report: Report): [label: string, text: string][] {
  const { target, suite, startedAt, seed, excluded } = printableAll({ ...report, exchanges: {} });
  const name = deploymentText(target.deployment);
  return [
    ["deployment", name === "" ? target.baseUrl : `${name}, ${target.baseUrl}`],
    ["run", `${startedAt}, seed ${seed}`],
    ["suite", `${suite.name} ${suite.version}, rule set ${suite.requirements}`],
    ...excluded.map(({ cases, reason }): [string, string] => [
      "left out",
      `${counted(cases, "case")}: ${reason}`,
    ]),
  ];
}

/** Why outcomes were not re-checked, with the number of cases and the rules. */
export function reasons(
  taken: readonly TakenOutcomes[],
): { why: string; live: string; cases: number; rules: string }[] {
  return [...groupBy(taken, ({ missing }) => missing)].map(([missing, some]) => ({
    ...MISSING[missing],
    cases: sum(some),
    rules: some.map(({ rule, cases }) => `${rule} ${cases}`).join(", "),
  }));
}

function sum(taken: readonly TakenOutcomes[]): number {
  return taken.reduce((all, { cases }) => all + cases, 0);
}
