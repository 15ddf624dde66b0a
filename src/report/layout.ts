import pc from "picocolors";

import type { Outcome } from "../engine/events.ts";

/** Where a text is laid out. */
export interface Page {
  /** In columns. */
  readonly width: number;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Wider lines are hard to read, and to paste. */
const WIDEST_COLUMNS = 100;
const LABEL_COLUMNS = 10;

/** A page for a terminal of so many columns, in colour or without. */
export function createPage(columns: number, color: boolean): Page {
  return {
    width: Math.max(40, Math.min(columns, WIDEST_COLUMNS)),
    colors: pc.createColors(color),
  };
}

/** Lines of at most `width` columns, broken at spaces; a word that is longer has a line of its own. */
export function wrap(text: string, width: number): string[] {
  const lines: string[] = [];
  let line = "";
  for (const word of text.split(" ")) {
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

/** Rows with their columns aligned, two spaces apart; the last column is wrapped to the page. */
export function table(page: Page, indent: number, rows: readonly (readonly string[])[]): string[] {
  const widths: number[] = [];
  for (const row of rows) {
    for (const [index, cell] of row.slice(0, -1).entries()) {
      widths[index] = Math.max(widths[index] ?? 0, cell.length);
    }
  }
  const left = indent + widths.reduce((sum, width) => sum + width + 2, 0);
  return rows.flatMap((row) => {
    const cells = row.slice(0, -1).map((cell, index) => cell.padEnd((widths[index] ?? 0) + 2));
    const [first = "", ...rest] = wrap(row.at(-1) ?? "", page.width - left);
    return [
      " ".repeat(indent) + cells.join("") + first,
      ...rest.map((line) => " ".repeat(left) + line),
    ];
  });
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

/** `1 case`, `2 cases`. */
export function counted(count: number, noun: string): string {
  return `${count} ${noun}${count === 1 ? "" : "s"}`;
}
