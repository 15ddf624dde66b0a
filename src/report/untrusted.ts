import type { Report } from "./report.ts";

/**
 * Controls (C0, C1 and DEL: with them go escape sequences and line breaks), invisible format
 * characters (bidirectional overrides, zero-width characters, tags), lone surrogates, private use,
 * what Unicode assigns to nobody for ever, and its line separators. XML forbids nothing beyond these.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}]/gu;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Text from elsewhere as one line that can neither steer a terminal nor hide anything:
 * what cannot be printed is shown as its escape, and what is too long is cut.
 * @param limit in UTF-16 units; default 1000
 */
export function printable(text: string, limit = 1000): string {
  return cut(text, limit).replace(UNPRINTABLE, escaped);
}

/**
 * The same in pieces, where escapes can be told from text that only looks like them: the pieces at
 * odd places are the escapes.
 * @param limit in UTF-16 units; default 1000
 */
export function printablePieces(text: string, limit = 1000): string[] {
  const pieces = cut(text, limit).split(new RegExp(`(${UNPRINTABLE.source})`, "gu"));
  return pieces.map((piece, index) => (index % 2 === 1 ? escaped(piece) : piece));
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Whether text is shown by `printable` as it is, however long. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}

/** A copy in which every text, however deep, is `printable`. Names of members are left as they are. */
export function printableAll<T>(value: T, limit?: number): T;
export function printableAll(value: unknown, limit?: number): unknown {
  if (typeof value === "string") return printable(value, limit);
  if (Array.isArray(value)) return value.map((item: unknown) => printableAll(item, limit));
  if (typeof value !== "object" || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, printableAll(member as unknown, limit)]),
  );
}

/** A report to be shown: every text `printable`, but for its exchanges, which `curlCommand` quotes. */
export function printableReport(report: Report): Report {
  return { ...printableAll({ ...report, exchanges: {} }), exchanges: report.exchanges };
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
