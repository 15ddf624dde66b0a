import { SIDES } from "../../../contract/ids.ts";
import type { Outcome } from "../../../engine/events.ts";
import { groupBy } from "../../../lib/group-by.ts";
import { counted } from "../../../lib/words.ts";
import { VERDICTS } from "../../../report/html/verdict.ts";
import {
  deploymentText,
  heading,
  type Page,
  paragraph,
  table,
  toned,
} from "../../../report/layout.ts";
import type { Report } from "../../../report/report.ts";
import { printableAll } from "../../../report/untrusted.ts";
import { MISSING } from "../../../verify/missing.ts";
import type { TakenOutcomes, Verification } from "../../../verify/verification.ts";
import type { LiveComparison, OtherOutcome } from "./sample.ts";

/** More discrepancies are only counted. */
const MOST_SHOWN = 50;

/** The result of judging a report again, as text. The answer comes first. */
export function verificationPage(
  page: Page,
  report: Report,
  verification: Verification,
  live?: LiveComparison,
): string[] {
  const { discrepancies, cases, judgedAgain, unjudged, taken } = printableAll(verification);
  const more = discrepancies.length - MOST_SHOWN;
  const { words, like, text } = answer(report, verification, live);
  return [
    ...paragraph(page, 0, `${words}. ${text}`).map((line) => toned(page, like, line)),
    "",
    ...table(page, 2, about(report)),
    ...(live ? differences(page, live) : []),
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
    ...reasons(taken).flatMap(({ why, live: help, rules, cases: n }) => [
      ...paragraph(page, 4, `${n}: ${why}; --live ${help}`),
      ...paragraph(page, 6, rules),
    ]),
  ];
}

/** The cases in which the deployment does not do what the report says. */
function differences(page: Page, live: LiveComparison): string[] {
  const { others } = printableAll(live);
  if (others.length === 0) return [];
  return [
    "",
    heading(page, "What the deployment does otherwise"),
    "",
    ...others.flatMap((one) => [
      ...paragraph(page, 2, one.case),
      ...paragraph(page, 4, toldAndLive(one)),
    ]),
  ];
}

/** What the report says of a case, and what was seen now. */
export function toldAndLive({ told, live, actual }: OtherOutcome): string {
  return `the report says ${told}, now it is ${live}${actual === undefined ? "" : `: ${actual}`}`;
}

/** What `verify` has found out, in a few words and in sentences, and the outcome whose sign it shares. */
export interface Answer {
  readonly words: string;
  readonly like: Outcome;
  readonly text: string;
}

/** What a verification shows. What is wrong comes first, then the verdict of the report and what it does not cover. */
export function answer(
  report: Report,
  { consistent, verdict, discrepancies }: Verification,
  live?: LiveComparison,
): Answer {
  if (!consistent) {
    const places = counted(discrepancies.length, "place");
    const text = `${places} ${discrepancies.length === 1 ? "does" : "do"} not follow from its evidence. The report certifies nothing.`;
    return { words: "Not consistent", like: "fail", text };
  }
  if (live && live.others.length > 0) {
    const differ = `${live.others.length} of ${counted(live.compared, "case")} ${live.others.length === 1 ? "differs" : "differ"}`;
    const text = `${differ}. The report is consistent, and its verdict is: ${verdict}.`;
    return { words: "The deployment does not do what the report says", like: "fail", text };
  }
  const left = notCertified(printableAll({ ...report, exchanges: {} }));
  const without =
    left.length > 0
      ? `Not certified: ${left.join("; ")}.`
      : "Nothing of the contract was left out.";
  const text = `The report is consistent: its evidence supports the verdict ${verdict}. ${without}`;
  return { ...VERDICTS[verdict], text };
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
