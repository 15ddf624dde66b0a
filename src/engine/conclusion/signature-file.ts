import type { KnownFault } from "../events.ts";

/** The cases that a known fault of the reference receiver breaks, as `npm run proof` saw them. */
export interface Signature extends KnownFault {
  /** Cases of the rule that failed, as `<case id>`. */
  readonly fail?: readonly string[];
  readonly warn?: readonly string[];
  /** Cases that were undecided with this fault and that other faults break. All other cases pass. */
  readonly open?: readonly string[];
  /** The gists of what the cases saw, where the cases alone do not tell it from others. */
  readonly saw?: readonly string[];
}

/** What `fixtures/signatures.json` has. */
export interface KnownFaults {
  readonly signatures: readonly Signature[];
  /**
   * By rule, as `<case id>`: cases that no fault breaks, although faults break the same case on another
   * operation. A case in neither list does not occur in the reference receiver's runs.
   */
  readonly held: Readonly<Partial<Record<string, readonly string[]>>>;
}

/** The members of a signature that are lists of cases. */
const LISTS = ["fail", "warn", "open"] as const;

/** A signature whose lists are places in the list of its rule: `0-5 7`. */
type Packed = Omit<Signature, (typeof LISTS)[number]> &
  Readonly<Partial<Record<(typeof LISTS)[number], string>>>;

/** `fixtures/signatures.json`, in which the id of each case occurs once. */
export interface SignatureFile {
  /** By rule: the ids of the cases that its faults break or leave open. */
  readonly cases: Readonly<Record<string, readonly string[]>>;
  readonly signatures: readonly Packed[];
  readonly held: KnownFaults["held"];
}

/** What the file has of known faults. */
export function packed({ signatures, held }: KnownFaults): SignatureFile {
  const cases: Record<string, string[]> = {};
  for (const signature of signatures) {
    const own = (cases[signature.rule] ??= []);
    const known = new Set(own);
    for (const name of LISTS) {
      for (const id of signature[name] ?? []) {
        if (known.has(id)) continue;
        known.add(id);
        own.push(id);
      }
    }
  }
  const places = new Map(
    Object.entries(cases).map(([rule, ids]) => [rule, new Map(ids.map((id, at) => [id, at]))]),
  );
  return {
    cases,
    signatures: signatures.map(({ fail, warn, open, ...words }) => {
      const placed = (ids: readonly string[]): string =>
        spans(ids.map((id) => places.get(words.rule)?.get(id) ?? 0));
      return {
        ...words,
        ...(fail && { fail: placed(fail) }),
        ...(warn && { warn: placed(warn) }),
        ...(open && { open: placed(open) }),
      };
    }),
    held,
  };
}

/** The known faults that a file has. */
export function unpacked({ cases, signatures, held }: SignatureFile): KnownFaults {
  return {
    signatures: signatures.map(({ fail, warn, open, ...words }) => {
      const listed = (spanned: string): string[] =>
        spanned.split(" ").flatMap((span) => {
          const [from = 0, to = from] = span.split("-").map(Number);
          return (cases[words.rule] ?? []).slice(from, to + 1);
        });
      return {
        ...words,
        ...(fail !== undefined && { fail: listed(fail) }),
        ...(warn !== undefined && { warn: listed(warn) }),
        ...(open !== undefined && { open: listed(open) }),
      };
    }),
    held,
  };
}

/** Numbers as ascending spans. */
function spans(numbers: readonly number[]): string {
  const found: [from: number, to: number][] = [];
  for (const number of numbers.toSorted((a, b) => a - b)) {
    const last = found.at(-1);
    if (last && last[1] + 1 === number) last[1] = number;
    else found.push([number, number]);
  }
  return found.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(" ");
}
