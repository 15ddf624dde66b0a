import type { Page } from "./layout.ts";
import { wrap } from "./layout.ts";

/** Something of the control beside the same of the probe; a side without it is `undefined`. */
export interface Row {
  readonly control: readonly string[] | undefined;
  readonly probe: readonly string[] | undefined;
  readonly differs: boolean;
}

/** From this width on the two stand in columns. */
const TWO_COLUMNS = 100;
const INDENT = 2;
/** Marks what differs: a colour alone would be lost on many people, and in every file. */
const MARK = "≠";
const GUTTER = ` ${MARK} `.length;
const SIDES = ["control", "probe"] as const;
const SIDE_COLUMNS = 10;

/**
 * Rows in two columns, the control on the left, where the page is wide enough; else one below the
 * other, and what is the same on both sides once.
 * @param rows printable
 */
export function sideBySide(page: Page, rows: readonly Row[]): string[] {
  return rows.flatMap((row) =>
    page.width >= TWO_COLUMNS ? columns(page, row) : stacked(page, row),
  );
}

/** Names the two columns; empty where there are none. */
export function columnHeads(page: Page): string[] {
  if (page.width < TWO_COLUMNS) return [];
  const names = { control: ["CONTROL"], probe: ["PROBE"], differs: false };
  return columns(page, names).map(page.colors.dim);
}

/** Text in lines of at most so many characters, each indented as the first; a long word is broken where the line ends. */
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
