import { counted } from "../lib/words.ts";
import { field, type Page, paragraph } from "./layout.ts";
import type { BaselineNote, Report } from "./report.ts";
import { diagnosisTexts } from "./text/diagnosis.ts";

/** Number of new failures that are named here; the failures section lists all of them. */
const NEW_SHOWN = 10;

/** The comparison with a baseline. The first line says whether it is acceptable. */
export function baseline(page: Page, { baseline: note }: Report): string[] {
  if (!note) return [];
  return [
    ...paragraph(page, 0, baselineText(note)).map(page.colors.bold),
    ...note.unknown.slice(0, NEW_SHOWN).map((id) => page.colors.red(`  new   ${id}`)),
    ...note.stale.flatMap(({ case: id, why }) => ["", ...paragraph(page, 2, `${id} ${why}`)]),
  ];
}

/** The comparison with a baseline, in one sentence. */
export function baselineText(note: BaselineNote): string {
  const { file, known, unknown, stale, blamed = 0, unjudged = 0 } = note;
  const others = [
    unknown.length > 0 ? `${unknown.length} new` : "no other",
    ...(stale.length > 0 ? [`${counted(stale.length, "entry", "entries")} that must go`] : []),
    ...(blamed > 0 ? [`${counted(blamed, "case")} inconclusive because of them`] : []),
    ...(unjudged > 0 ? [`${counted(unjudged, "entry", "entries")} not judged`] : []),
  ];
  return `Baseline ${file}: ${counted(known.length, "known failure")}, ${others.join(", ")}.`;
}

/** The known faults that the failures of a rule resemble, or that none fits, with a label. */
export function diagnosis(page: Page, indent: number, report: Report, rule: string): string[] {
  return diagnosisTexts(report, rule).flatMap((text, index) =>
    field(page, indent, index === 0 ? "probably" : "", text),
  );
}
