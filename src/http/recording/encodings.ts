/** A part of a text. */
export interface Part {
  readonly from: number;
  readonly to: number;
}

/** A way to write bytes as text. */
export interface Encoding {
  /** Finds the runs of a text that may be encoded. */
  readonly run: RegExp;
  /** The characters of a run that mean nothing. */
  readonly separator?: RegExp;
  /** The numbers of characters in a run before an encoded text may begin. */
  readonly starts: readonly number[];
  /** Decodes the characters of a run to a character for each byte. */
  readonly decode: (symbols: string) => string;
  /** Characters for each byte. */
  readonly perByte: number;
  /** What separates runs that are decoded together. It decodes to bytes that are in no secret. */
  readonly gap: string;
}

/** Runs are long enough for eight bytes. A run of base64 may begin with other characters of its alphabet. */
const ENCODINGS: readonly Encoding[] = [
  {
    run: /[\w+/-]{11,}={0,2}/g,
    starts: [0, 1, 2, 3],
    decode: (symbols) => Buffer.from(symbols, "base64").toString("latin1"),
    perByte: 4 / 3,
    gap: "AAAA",
  },
  {
    run: /(?:[\da-f]{2}[:-]?){8,}[\da-f]?/gi,
    separator: /[:-]/g,
    starts: [0, 1],
    decode: (symbols) => Buffer.from(symbols, "hex").toString("latin1"),
    perByte: 2,
    gap: "00",
  },
];

/** Finds parts of a text that are encoded, in linear time where nothing is found. */
export function encodedParts<P extends Part>(
  text: string,
  search: (decoded: string) => readonly P[],
): P[] {
  return ENCODINGS.flatMap((encoding) => {
    const runs = [...text.matchAll(encoding.run)].map(({ 0: run, index }) => ({ run, index }));
    return runs.length === 0
      ? []
      : encoding.starts.flatMap((start) => partsFrom(start, encoding, runs, search));
  });
}

interface Run {
  readonly run: string;
  readonly index: number;
}

function partsFrom<P extends Part>(
  start: number,
  { decode, separator, perByte, gap }: Encoding,
  runs: readonly Run[],
  search: (decoded: string) => readonly P[],
): P[] {
  const symbols = ({ run }: Run): string => {
    const bare = (separator ? run.replaceAll(separator, "") : run).replace(/=+$/, "").slice(start);
    return bare.padEnd(Math.ceil(bare.length / gap.length) * gap.length, gap);
  };
  // Most texts hold nothing, and decoding all runs at once takes a fraction of the time.
  if (runs.length > 1 && search(decode(runs.map(symbols).join(gap))).length === 0) return [];
  return runs.flatMap((one) => {
    const placeOf = separator ? placesWithout(one.run, separator) : (at: number): number => at;
    const end = one.run.length;
    return search(decode(symbols(one))).map((part) => ({
      ...part,
      from: one.index + placeOf(start + Math.floor(part.from * perByte)),
      to: one.index + Math.min(end, placeOf(start + Math.ceil(part.to * perByte) - 1) + 1),
    }));
  });
}

/** Where each character of a run is that is no separator. */
function placesWithout(run: string, separator: RegExp): (at: number) => number {
  const places = Array.from(run, (_, at) => at).filter((at) => !run.charAt(at).match(separator));
  return (at) => places[at] ?? run.length - 1;
}
