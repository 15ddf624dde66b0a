import pc from "picocolors";

import type { Outcome } from "../engine/events.ts";
import type { DeploymentName } from "../profile/target.ts";
import type { Report } from "./report.ts";

/** `acme-staging 4.2.0`; empty when the profile does not name the deployment. */
export function deploymentText({ name, version }: DeploymentName = {}): string {
  return [name, version].filter((part) => part !== undefined).join(" ");
}

/** The width and colours to lay text out for. */
export interface Page {
  /** In columns. */
  readonly width: number;
  readonly colors: ReturnType<typeof pc.createColors>;
}

/** Wider lines are hard to read and to paste. */
const WIDEST_COLUMNS = 100;
/** Text is unreadable below this width. */
const NARROWEST = 8;
/** Width of the column for labels. */
export const LABEL_COLUMNS = 10;

export function createPage(columns: number, color: boolean): Page {
  return { width: Math.max(40, Math.min(columns, WIDEST_COLUMNS)), colors: pc.createColors(color) };
}

/** A command in quotes, which stays on one line, because people paste it. */
const QUOTED_COMMAND = /(?<=[`'])(?:npx --no-install )?orgsync-conformance [^`']*(?=[`'])/g;
/** Stands for a blank that is no place for a break. */
const NO_BREAK = "\uE000";

/** Breaks text at spaces into lines of at most `width` columns, and longer words too. A quoted command is one word. */
export function wrap(text: string, width: number): string[] {
  const whole = text.replaceAll(QUOTED_COMMAND, (command) => command.replaceAll(" ", NO_BREAK));
  return wrapWords(whole, width).map((line) => line.replaceAll(NO_BREAK, " "));
}

function wrapWords(text: string, width: number): string[] {
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

export function heading({ colors }: Page, text: string): string {
  return colors.bold(text);
}

/** A paragraph with every line indented by `indent` columns. */
export function paragraph(page: Page, indent: number, text: string): string[] {
  return wrap(text, page.width - indent).map((line) => " ".repeat(indent) + line);
}

/** Sections as text, each after an empty line; a section without lines is left out. */
export function sectionsText(sections: readonly (readonly string[])[]): string {
  return sections
    .filter((lines) => lines.length > 0)
    .map((lines) => `\n${lines.join("\n")}\n`)
    .join("");
}

/** At most `most` lines; the last one shows that lines were left out. */
export function atMost(lines: readonly string[], most: number): string[] {
  if (lines.length <= most) return [...lines];
  const last = lines[most - 1] ?? "";
  return [...lines.slice(0, most - 1), last.replace(/(?:,? \S+)?$/, " …")];
}

/** Text beside a label, in a separate column. */
export function field(page: Page, indent: number, label: string, text: string): string[] {
  return labelled(page, indent, label, wrap(text, page.width - indent - LABEL_COLUMNS));
}

/** Texts beside their labels, one below the other; a label without a text is left out. */
export function fields(
  page: Page,
  indent: number,
  texts: Readonly<Record<string, string | undefined>>,
): string[] {
  return Object.entries(texts).flatMap(([label, text]) =>
    text === undefined ? [] : field(page, indent, label, text),
  );
}

/** Lines beside a label, which only the first line has. They are not wrapped. */
export function labelled(
  { colors }: Page,
  indent: number,
  label: string,
  lines: readonly string[],
): string[] {
  const [first, other] = [colors.dim(label.padEnd(LABEL_COLUMNS)), " ".repeat(LABEL_COLUMNS)];
  return lines.map((line, index) => " ".repeat(indent) + (index === 0 ? first : other) + line);
}

/**
 * Rows with aligned columns, two spaces apart. If the page is too narrow, the widest column except the last
 * is wrapped, so that two fifths of the page are left for the last one, which is wrapped too.
 * @param paint colours a cell after padding
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

/** The duration of a run, and the part of it that the run only waited. */
export function took(run: Pick<Report, "durationMs" | "waitedMs">): string {
  const waited = ((run.waitedMs ?? 0) / 1000).toFixed(1);
  return `${(run.durationMs / 1000).toFixed(1)} s${waited === "0.0" ? "" : ` (${waited} s of it only waiting)`}`;
}

/** A value of the control and the same value of the probe; `undefined` on a side that lacks it. */
export interface Row {
  readonly control: readonly string[] | undefined;
  readonly probe: readonly string[] | undefined;
  readonly differs: boolean;
}

/** Minimum width for two columns. */
const TWO_COLUMNS = 100;
const INDENT = 2;
/** Marks differences. Colour alone is invisible to many people and in every file. */
const MARK = "≠";
const GUTTER = ` ${MARK} `.length;
const SIDES = ["control", "probe"] as const;
const SIDE_COLUMNS = 10;

/**
 * Rows in two columns with the control on the left if the page is wide enough, else one below the other,
 * with equal values shown once.
 * @param rows printable
 */
export function sideBySide(page: Page, rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    page.width >= TWO_COLUMNS ? inColumns(page, row) : stacked(page, row),
  );
}

/** The names of the two columns; empty when the page has only one. */
export function columnHeads(page: Page): string[] {
  if (page.width < TWO_COLUMNS) return [];
  const names = { control: ["CONTROL"], probe: ["PROBE"], differs: false };
  return inColumns(page, names).map(page.colors.dim);
}

/** Breaks text into lines of at most `width` characters, each indented like the first. */
function fold(text: string, width: number): string[] {
  const indent = /^ */.exec(text)?.[0].slice(0, width >> 1) ?? "";
  const room = width - indent.length;
  const words = text.trimStart();
  const lines = words.split(" ").some(({ length }) => length > room) ? [words] : wrap(words, room);
  return lines
    .flatMap((line) => line.match(new RegExp(`.{1,${room}}`, "gsu")) ?? [""])
    .map((line) => indent + line);
}

function inColumns(page: Page, { control, probe, differs }: Row): string[] {
  const width = Math.floor((page.width - INDENT - GUTTER) / 2);
  const [left, right] = [control, probe].map((lines) =>
    (lines ?? ["—"]).flatMap((line) => fold(line, width)),
  );
  const height = Math.max(left?.length ?? 0, right?.length ?? 0);
  return Array.from({ length: height }, (_, at) => {
    const mark = differs && at === 0 ? ` ${MARK} ` : " ".repeat(GUTTER);
    const [a, b] = [(left?.[at] ?? "").padEnd(width), right?.[at] ?? ""];
    const line = differs
      ? page.colors.yellow(a + mark) + page.colors.bold(page.colors.yellow(b))
      : a + mark + b;
    return " ".repeat(INDENT) + (b === "" && !differs ? line.trimEnd() : line);
  });
}

function stacked(page: Page, { control, probe, differs }: Row): string[] {
  const width = page.width - INDENT - MARK.length - 1;
  if (!differs) {
    const same = probe ?? control ?? [];
    return same
      .flatMap((line) => fold(line, width))
      .map((line) => `${" ".repeat(INDENT + 2)}${line}`);
  }
  return SIDES.flatMap((side) => {
    const lines = (side === "control" ? control : probe) ?? ["—"];
    return lines
      .flatMap((line) => fold(line, width - SIDE_COLUMNS))
      .map((line, at) => {
        const label = (at === 0 ? side : "").padEnd(SIDE_COLUMNS);
        const text = `${at === 0 ? MARK : " "} ${label}${line}`;
        return " ".repeat(INDENT) + page.colors.yellow(text);
      });
  });
}
