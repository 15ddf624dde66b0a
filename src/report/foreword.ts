import { counted } from "../lib/counted.ts";
import { field, type Page, paragraph } from "./layout.ts";
import type { BaselineNote, Report } from "./report.ts";
import { diagnosisTexts } from "./text/diagnosis.ts";

/** New failures that are named at once; all of them are told further down. */
const NEW_SHOWN = 10;

/** What a baseline of known failures says of the run; the first line says whether it is enough. */
export function baseline(page: Page, { baseline: note }: Report): string[] {
  if (!note) return [];
  return [
    ...paragraph(page, 0, baselineText(note)).map(page.colors.bold),
    ...note.unknown.slice(0, NEW_SHOWN).map((id) => page.colors.red(`  new   ${id}`)),
    ...note.stale.flatMap(({ case: id, why }) => ["", ...paragraph(page, 2, `${id} ${why}`)]),
  ];
}

/** The failures beside the baseline, in a sentence. */
export function baselineText(note: BaselineNote): string {
  const { file, known, unknown, stale, blamed = 0, unjudged = 0 } = note;
  const others = [
    unknown.length > 0 ? `${unknown.length} new` : "no other",
    ...(stale.length > 0 ? [`${counted(stale.length, "entry", "entries")} that must go`] : []),
    ...(blamed > 0 ? [`${counted(blamed, "case")} inconclusive on their account`] : []),
    ...(unjudged > 0 ? [`${counted(unjudged, "entry", "entries")} not judged`] : []),
  ];
  return `Baseline ${file}: ${counted(known.length, "known failure")}, ${others.join(", ")}.`;
}

/** The known faults that the failures of a rule look like, or that none fits, beside their label. */
export function diagnosis(page: Page, indent: number, report: Report, rule: string): string[] {
  return diagnosisTexts(report, rule).flatMap((text, index) =>
    field(page, indent, index === 0 ? "probably" : "", text),
  );
}
