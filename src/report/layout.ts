import pc from "picocolors";

import type { Outcome, TargetNote } from "../engine/events.ts";
import type { Report } from "./report.ts";

/** `acme-staging 4.2.0`; empty where the profile does not say. */
export function deploymentText({
  name,
  version,
}: NonNullable<TargetNote["deployment"]> = {}): string {
  return [name, version].filter((part) => part !== undefined).join(" ");
}

/** Where a text is laid out. */
export interface Page {
  /** In columns. */
  readonly width: number;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Wider lines are hard to read, and to paste. */
const WIDEST_COLUMNS = 100;
/** In less room nothing can be read. */
const NARROWEST = 8;
/** Of the column that labels stand in. */
export const LABEL_COLUMNS = 10;

/** A page for a terminal of so many columns, in colour or without. */
export function createPage(columns: number, color: boolean): Page {
  return {
    width: Math.max(40, Math.min(columns, WIDEST_COLUMNS)),
    colors: pc.createColors(color),
  };
}

/** Lines of at most `width` columns, broken at spaces; a word that is longer is broken where the line ends. */
export function wrap(text: string, width: number): string[] {
  const longest = new RegExp(`.{1,${Math.max(NARROWEST, width)}}`, "gsu");
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ").flatMap((one) => one.match(longest) ?? [""])) {
    if (line !== "" && line.length + 1 + word.length > width) {
      lines.push(line);
      line = word;
    } else {
      line = line === "" ? word : `${line} ${word}`;
    }
  }
  return [...lines, line];
}

/** A heading of its own. */
export function heading({ colors }: Page, text: string): string {
  return colors.bold(text);
}

/** A paragraph, every line indented by so many spaces. */
export function paragraph(page: Page, indent: number, text: string): string[] {
  return wrap(text, page.width - indent).map((line) => " ".repeat(indent) + line);
}

/** So many lines, the last of them with a sign of what was left out. */
export function atMost(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  const last = lines[most - 1] ?? "";
  return [...lines.slice(0, most - 1), last.replace(/(?:,? \S+)?$/, " …")];
}

/** Text beside a label, in a column of its own. */
export function field(page: Page, indent: number, label: string, text: string): string[] {
  return labelled(page, indent, label, wrap(text, page.width - indent - LABEL_COLUMNS));
}

/** Lines beside a label, as they are. */
export function labelled(
  { colors }: Page,
  indent: number,
  label: string,
  lines: readonly string[],
): string[] {
  const margin = " ".repeat(indent);
  return lines.map((line, index) => {
    const first = colors.dim((index === 0 ? label : "").padEnd(LABEL_COLUMNS));
    return margin + (index === 0 ? first : " ".repeat(LABEL_COLUMNS)) + line;
  });
}

/**
 * Rows with their columns aligned, two spaces apart. Where the page is too narrow, the widest column
 * but the last is wrapped, to leave two fifths of the page to the last, which is wrapped too.
 * @param paint colours a cell, which is padded by then
 */
export function table(
  page: Page,
  indent: number,
  rows: readonly (readonly string[])[],
  paint: (cell: string, row: number, column: number) => string = (cell) => cell,
): string[] {
  const widths = columnWidths(rows, page.width - indent);
  return rows.flatMap((row, index) => {
    const cells = row.map((cell, column) => wrap(cell, widths[column] ?? 0));
    const height = Math.max(...cells.map(({ length }) => length));
    return Array.from({ length: height }, (_, at) => {
      const line = cells.map((lines, column) => {
        const text = lines[at] ?? "";
        const last = column === row.length - 1;
        return paint(last ? text : text.padEnd((widths[column] ?? 0) + 2), index, column);
      });
      return (" ".repeat(indent) + line.join("")).trimEnd();
    });
  });
}

function columnWidths(rows: readonly (readonly string[])[], width: number): number[] {
  const columns = (rows[0] ?? []).map((_, column) => rows.map((row) => row[column] ?? ""));
  const widths = columns.map((cells) => Math.max(...cells.map(({ length }) => length)));
  const others = widths.slice(0, -1);
  const left = others.reduce((sum, one) => sum + one + 2, 0);
  const last = widths.length - 1;
  if (left + (widths[last] ?? 0) <= width) return widths;
  const widest = others.indexOf(Math.max(...others));
  const words = (columns[widest] ?? []).flatMap((cell) => cell.split(" "));
  const longestWord = Math.max(0, ...words.map(({ length }) => length));
  const excess = Math.max(0, left - Math.floor(width * 0.6));
  const narrowed = Math.max(longestWord, (widths[widest] ?? 0) - excess);
  const saved = (widths[widest] ?? 0) - narrowed;
  widths[widest] = narrowed;
  widths[last] = width - left + saved;
  return widths;
}

/** Text in the colour of an outcome. */
export function toned({ colors }: Page, outcome: Outcome, text: string): string {
  switch (outcome) {
    case "fail":
      return colors.red(colors.bold(text));
    case "inconclusive":
    case "not-provisioned":
    case "warn":
      return colors.yellow(text);
    case "pass":
      return colors.green(text);
    case "observed":
    case "not-applicable":
      return colors.dim(text);
  }
}

/** How long a run took, and how long of that it did nothing but wait for time to pass. */
export function took({
  durationMs,
  waitedMs = 0,
}: Pick<Report, "durationMs" | "waitedMs">): string {
  const waited = (waitedMs / 1000).toFixed(1);
  return `${(durationMs / 1000).toFixed(1)} s${waited === "0.0" ? "" : ` (${waited} s of it only waiting)`}`;
}
