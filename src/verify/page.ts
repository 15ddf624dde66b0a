import { counted } from "../lib/counted.ts";
import { deploymentText, heading, type Page, paragraph, table } from "../report/layout.ts";
import type { Report } from "../report/report.ts";
import { printableAll } from "../report/untrusted.ts";
import type { Verification } from "./verification.ts";

/** More discrepancies are only counted. */
const MOST_SHOWN = 50;

/** The result of judging a report again, as text. */
export function verificationPage(
  page: Page,
  { target, startedAt }: Report,
  verification: Verification,
): string[] {
  const { discrepancies, cases, judgedAgain, unjudged, taken } = printableAll(verification);
  const shown = printableAll({ target, startedAt });
  const name = deploymentText(shown.target.deployment);
  const takenCases = taken.reduce((sum, one) => sum + one.cases, 0);
  const more = discrepancies.length - MOST_SHOWN;
  return [
    heading(page, `Report of ${name === "" ? shown.target.baseUrl : name}, ${shown.startedAt}`),
    "",
    ...table(page, 2, [
      ["judged again", `${judgedAgain} of ${counted(cases, "case")}`],
      ["not judged", `${unjudged}: inconclusive, not provisioned or not applicable, as it says`],
      [
        "taken as stated",
        `${takenCases}: the report does not contain everything that their rules judged by`,
      ],
    ]),
    ...(taken.length > 0
      ? ["", ...paragraph(page, 4, taken.map(({ rule, cases: n }) => `${rule} ${n}`).join(", "))]
      : []),
    ...(discrepancies.length > 0 ? ["", heading(page, "What does not follow"), ""] : []),
    ...discrepancies
      .slice(0, MOST_SHOWN)
      .flatMap(({ where, case: id, what }) => [
        ...paragraph(page, 2, id === undefined ? where : `${id}  (${where})`),
        ...paragraph(page, 4, what),
      ]),
    ...(more > 0 ? ["", `  and ${more} more`] : []),
    "",
    ...paragraph(page, 0, conclusion(verification)).map(page.colors.bold),
  ];
}

function conclusion({ consistent, verdict, exitCode, discrepancies }: Verification): string {
  return consistent
    ? `Consistent: its verdict follows, ${verdict}, with which a run exits ${exitCode}.`
    : `Not consistent: ${counted(discrepancies.length, "place")} ${discrepancies.length === 1 ? "does" : "do"} not follow.`;
}
