import { counted, field, heading, type Page, paragraph } from "./layout.ts";
import type { BaselineNote, Report } from "./report.ts";
import { unexplained } from "./text/unexplained.ts";

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

/** The known faults that the failures look like, and what none fits. */
export function diagnoses(page: Page, report: Report): string[] {
  const found = report.diagnoses;
  const left = unexplained(report);
  if (found.length === 0 && left === undefined) return [];
  return [
    heading(page, "Diagnosis"),
    ...found.flatMap(({ rule, fault, behaves, look, source }, index) => {
      const another = found[index - 1]?.rule === rule;
      const like = another ? "Or like one that" : "Behaves like a receiver that";
      return [
        "",
        ...paragraph(page, 2, `${like} ${behaves} (${fault}).`).map(page.colors.yellow),
        ...(another ? [] : field(page, 4, "rule", rule)),
        ...field(page, 4, "look for", source === undefined ? look : `${look} ${source}`),
      ];
    }),
    ...(left === undefined ? [] : ["", ...paragraph(page, 2, left)]),
  ];
}
