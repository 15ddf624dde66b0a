import type { CheckedAttestation } from "../../../attest/check.ts";
import { counted } from "../../../lib/words.ts";
import { deploymentText, heading, type Page, paragraph } from "../../../report/layout.ts";
import type { Report } from "../../../report/report.ts";
import { printableAll } from "../../../report/untrusted.ts";
import type { LiveComparison } from "./sample.ts";

export const SHOWS: readonly string[] = [
  "verify         shows whether a report is consistent, that is, follows from its own evidence",
  "--attestation  shows who signed it",
  "--live         shows whether it is true, the only way to detect a consistently forged report",
];

export function attestationLines(
  page: Page,
  report: Report,
  attestation: CheckedAttestation,
): string[] {
  const { signedBy, result, sameFiles } = printableAll(attestation);
  const files =
    sameFiles === undefined
      ? ""
      : sameFiles
        ? " It was judged by a suite with the same files as the one installed here."
        : " It was judged by a suite of the same version whose files differ from those installed here.";
  const signed = `Signed with the key ${signedBy}${result === undefined ? "" : `: ${result}`}.${files}`;
  return [
    "",
    ...paragraph(page, 0, signed).map(page.colors.bold),
    ...paragraph(page, 0, validity(report)),
  ];
}

/** What the statement is about, and how long it says something, in words. */
export function validity(report: Report): string {
  const { target, startedAt, leftBehind = [] } = printableAll({ ...report, exchanges: {} });
  const name = deploymentText(target.deployment);
  const left = leftBehind.length > 0 ? counted(leftBehind.length, "write") : "nothing";
  return `It is about ${name === "" ? "a deployment without a name" : name} at ${target.baseUrl}, as it was on ${startedAt.slice(0, 10)}, and says nothing of a later version. The run left ${left} behind at it, which the statement lists.`;
}

/** Why an attestation is refused. Nothing good is said of a report whose attestation is another's. */
export function refusal({ problems }: CheckedAttestation): string {
  return `Refused: no trusted key has signed this report with this attestation: ${printableAll(problems).join("; ")}. Nothing else was checked.`;
}

export function liveLines(page: Page, comparison: LiveComparison): string[] {
  const { asked, compared } = comparison;
  const open = asked - compared;
  return [
    "",
    heading(page, "Asked again"),
    "",
    ...(open > 0
      ? paragraph(
          page,
          2,
          `${counted(open, "case")} could not be judged now and ${open === 1 ? "counts" : "count"} neither way.`,
        )
      : []),
    ...paragraph(page, 0, liveConclusion(comparison)).map(page.colors.bold),
    ...paragraph(page, 0, powerOf(comparison)),
  ];
}

export function powerOf({ of, wrong, chance }: LiveComparison): string {
  const percent = `${Math.floor(chance * 1000) / 10} %`;
  return `If ${counted(wrong, "case")} of ${of} had another outcome now, such a sample would find at least one of them with a chance of ${percent}.`;
}

export function liveConclusion({ seed, compared, others }: LiveComparison): string {
  return others.length === 0
    ? `The deployment behaves as the report says: ${counted(compared, "case")}, drawn by --seed ${seed}.`
    : `The deployment behaves differently in ${others.length} of ${counted(compared, "case")}, drawn by --seed ${seed}.`;
}
