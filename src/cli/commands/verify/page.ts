import type { CheckedAttestation } from "../../../attest/check.ts";
import { counted } from "../../../lib/counted.ts";
import { heading, type Page, paragraph } from "../../../report/layout.ts";
import { printableAll } from "../../../report/untrusted.ts";
import type { LiveComparison } from "../../../verify/live.ts";

/** What each of the three ways shows. */
export const SHOWS: readonly string[] = [
  "verify         shows whether a report is consistent: it follows from its own evidence",
  "--attestation  shows who says so",
  "--live         shows whether it is true: the only way to find who forges every answer consistently",
];

/** What an attestation shows, for people. */
export function attestationLines(page: Page, attestation: CheckedAttestation): string[] {
  const { signedBy, result, sameFiles, problems } = printableAll(attestation);
  const files =
    sameFiles === undefined
      ? ""
      : sameFiles
        ? " The suite that judged it has the files that are installed here."
        : " The suite that judged it has other files than are installed here, though it says the same version.";
  const signed =
    signedBy === undefined
      ? "Nobody whose key is known attests it."
      : `Signed with the key ${signedBy}${result === undefined ? "" : `: ${result}`}.${files}`;
  return [
    "",
    ...paragraph(page, 0, signed).map(page.colors.bold),
    ...problems.flatMap((problem) => paragraph(page, 2, problem)),
  ];
}

/** What the deployment does now, for people. */
export function liveLines(page: Page, comparison: LiveComparison): string[] {
  const { seed, asked, compared, others } = printableAll(comparison);
  const open = asked - compared;
  const conclusion =
    others.length === 0
      ? `The deployment does what the report says: ${counted(compared, "case")}, drawn by --seed ${seed}.`
      : `The deployment does otherwise in ${others.length} of ${counted(compared, "case")}, drawn by --seed ${seed}.`;
  return [
    "",
    heading(page, "Asked again"),
    "",
    ...others.flatMap(({ case: id, told, live, actual }) => [
      ...paragraph(page, 2, id),
      ...paragraph(
        page,
        4,
        `the report says ${told}, now it is ${live}${actual === undefined ? "" : `: ${actual}`}`,
      ),
    ]),
    ...(open > 0
      ? paragraph(page, 2, `${counted(open, "case")} could not be judged now, and say nothing.`)
      : []),
    ...paragraph(page, 0, conclusion).map(page.colors.bold),
  ];
}
