import type { RedactedKind } from "../exchange.ts";

/** A part of a text that must not be recorded. */
export interface Found {
  readonly from: number;
  readonly to: number;
  readonly kind: RedactedKind;
}

/** A way to write bytes as text. */
export interface Encoding {
  /** Finds the runs of a text that may be encoded. */
  readonly run: RegExp;
  /** The characters of a run that mean nothing. */
  readonly separator?: RegExp;
  /** What may follow a run, and belongs to it. */
  readonly padding?: string;
  /** The numbers of characters in a run before an encoded text may begin. */
  readonly starts: readonly number[];
  /** Decodes the characters of a run to a character for each byte. */
  readonly decode: (symbols: string) => string;
  /** Characters for each byte. */
  readonly perByte: number;
  /** What separates runs that are decoded together. It decodes to bytes that are in no secret. */
  readonly gap: string;
}

/**
 * Finds runs of so many characters or more. A quantifier with a least number makes the engine remember every character, and
 * fail at some megabytes; one from zero on does not, and is faster.
 */
function runOf(characters: string, least: number): RegExp {
  return new RegExp(`${characters.repeat(least)}${characters}*`, "g");
}

/** Characters of padding after a run. */
const MOST_PADDING = 2;
/** Runs are long enough for eight bytes. They may begin with other characters of the alphabet, or with separators. */
const ENCODINGS: readonly Encoding[] = [
  {
    run: runOf(String.raw`[\w+/-]`, 11),
    padding: "=",
    starts: [0, 1, 2, 3],
    decode: (symbols) => Buffer.from(symbols, "base64").toString("latin1"),
    perByte: 4 / 3,
    gap: "AAAA",
  },
  {
    run: runOf(String.raw`[\da-fA-F:-]`, 16),
    separator: /[:-]/g,
    starts: [0, 1],
    decode: (symbols) => Buffer.from(symbols, "hex").toString("latin1"),
    perByte: 2,
    gap: "00",
  },
];

/** Finds parts of a text that are encoded, in linear time where nothing is found. */
export function encodedParts(text: string, search: (decoded: string) => readonly Found[]): Found[] {
  return ENCODINGS.flatMap((encoding) => {
    const found = text.match(encoding.run);
    if (!found) return [];
    // Most texts hold nothing, and decoding all runs at once, from every start, takes a fraction of the time.
    const together = found.map((run) => symbolsOf(run, encoding)).join("");
    const decoded = encoding.starts.map((start) => encoding.decode(together.slice(start)));
    if (search(decoded.join("\n")).length === 0) return [];
    return runsOf(text, encoding).flatMap((run) =>
      encoding.starts.flatMap((start) => partsFrom(start, encoding, run, search)),
    );
  });
}

function runsOf(text: string, encoding: Encoding): Run[] {
  return Array.from(text.matchAll(encoding.run), ({ 0: run, index }) => ({
    run,
    index,
    end: endOf(text, index + run.length, encoding),
    symbols: symbolsOf(run, encoding),
  }));
}

interface Run {
  readonly run: string;
  readonly index: number;
  /** Where it ends, with its padding. */
  readonly end: number;
  /** The run without what means nothing, and with a gap after it, after which the next one begins as if it were the first. */
  readonly symbols: string;
}

function endOf(text: string, start: number, { padding }: Encoding): number {
  if (padding === undefined) return start;
  let end = start;
  while (end < start + MOST_PADDING && text[end] === padding) end += 1;
  return end;
}

function symbolsOf(run: string, { separator, gap }: Encoding): string {
  const bare = separator ? run.replaceAll(separator, "") : run;
  return bare.padEnd(Math.ceil(bare.length / gap.length) * gap.length, gap) + gap;
}

function partsFrom(
  start: number,
  { decode, separator, perByte }: Encoding,
  { run, index, end, symbols }: Run,
  search: (decoded: string) => readonly Found[],
): Found[] {
  const placeOf = separator ? placesWithout(run, separator) : (at: number): number => at;
  return search(decode(symbols.slice(start))).map((part) => ({
    ...part,
    from: index + placeOf(start + Math.floor(part.from * perByte)),
    to: Math.min(end, index + placeOf(start + Math.ceil(part.to * perByte) - 1) + 1),
  }));
}

/** Where each character of a run is that is no separator. */
function placesWithout(run: string, separator: RegExp): (at: number) => number {
  const places = Array.from(run, (_, at) => at).filter((at) => !run.charAt(at).match(separator));
  return (at) => places[at] ?? run.length - 1;
}
