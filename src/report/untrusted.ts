import { mapTexts } from "../lib/json.ts";

/**
 * Characters that must not be printed: controls (C0, C1 and DEL, which include escape sequences and line breaks),
 * invisible format characters (bidirectional overrides, zero-width characters, tags), lone surrogates, private use,
 * noncharacters, and the Unicode line separators. They include all characters that XML forbids.
 */
const UNPRINTABLE = /[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Noncharacter_Code_Point}\p{Zl}\p{Zp}]/gu;

/** Most texts. Looking for this takes a fraction of the time of looking for what is unprintable. */
const PLAIN = /^[ -~]*$/;

const SHORT: Readonly<Record<string, string>> = { "\n": "\\n", "\r": "\\r", "\t": "\\t" };

/**
 * Untrusted text as one line that cannot control a terminal or hide anything. Unprintable characters are
 * shown as escapes, and long text is cut.
 * @param limit in UTF-16 units; default 1000
 */
export function printable(text: string, limit = 1000): string {
  if (text.length <= limit && PLAIN.test(text)) return text;
  return cut(text, limit).replace(UNPRINTABLE, escaped);
}

/**
 * Untrusted text as `printable` has it, in pieces: those at odd indexes are escapes, which tells them from text that only looks like one.
 * @param limit in UTF-16 units
 */
export function printablePieces(text: string, limit: number): string[] {
  const pieces = cut(text, limit).split(new RegExp(`(${UNPRINTABLE.source})`, "gu"));
  return pieces.map((piece, index) => (index % 2 === 1 ? escaped(piece) : piece));
}

function escaped(character: string): string {
  return SHORT[character] ?? `\\u{${character.codePointAt(0)?.toString(16)}}`;
}

/** Whether `printable` leaves a text unchanged, apart from its length. */
export function isPrintable(text: string): boolean {
  return text.search(UNPRINTABLE) < 0;
}

/** A deep copy in which every text is `printable`. Member names are left as they are. */
export function printableAll<T>(value: T, limit?: number): T {
  return mapTexts(value, (text) => printable(text, limit)) as T;
}

/** A report for display: every text `printable`, but exchanges, which `curlCommand` quotes. */
export function printableReport<Report extends { readonly exchanges: unknown }>(
  report: Report,
): Report {
  return { ...printableAll({ ...report, exchanges: {} }), exchanges: report.exchanges };
}

function cut(text: string, limit: number): string {
  if (text.length <= limit) return text;
  return `${text.slice(0, limit).replace(/[\uD800-\uDBFF]$/, "")}…`;
}
