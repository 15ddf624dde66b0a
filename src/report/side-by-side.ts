import type { Page } from "./layout.ts";
import { wrap } from "./layout.ts";

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
    page.width >= TWO_COLUMNS ? columns(page, row) : stacked(page, row),
  );
}

/** The names of the two columns; empty when the page has only one. */
export function columnHeads(page: Page): string[] {
  if (page.width < TWO_COLUMNS) return [];
  const names = { control: ["CONTROL"], probe: ["PROBE"], differs: false };
  return columns(page, names).map(page.colors.dim);
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

function columns(page: Page, { control, probe, differs }: Row): string[] {
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
