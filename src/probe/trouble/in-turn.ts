/** What a good request of a row came to. Anything but an acceptance or a 401 may be due to something else than its token. */
export type InRow = "accepted" | "401" | "other";

/** The pattern in which good requests one after another are refused. */
export type TurnPattern =
  /** One of so many is refused, always in the same place. */
  | { readonly kind: "refused"; readonly every: number }
  /** One of so many is accepted, always in the same place. */
  | { readonly kind: "accepted"; readonly every: number }
  /** All but the first one are refused. */
  | { readonly kind: "all-but-first" };

/** So many good requests make a row. */
export const ROW = 20;
/** A longer period shows too seldom in a row to be no accident. */
const LONGEST_PERIOD = 5;

/** The pattern of a row; `undefined` where it has none, or an answer is not about the token. */
function patternOf(row: readonly InRow[]): TurnPattern | undefined {
  if (row.length === 0 || row.includes("other")) return undefined;
  if (row.every((one, at) => (one === "accepted") === (at === 0))) return { kind: "all-but-first" };
  for (let every = 2; every <= LONGEST_PERIOD; every++) {
    for (const kind of ["refused", "accepted"] as const) {
      const isMeant = (one: InRow): boolean => (one === "accepted") === (kind === "accepted");
      const first = row.findIndex(isMeant);
      const isTurn = (at: number): boolean => (at - first) % every === 0;
      if (first < 0 || first >= every) continue;
      if (row.every((one, at) => isMeant(one) === isTurn(at))) return { kind, every };
    }
  }
  return undefined;
}

/** The pattern that both rows show; `undefined` where they show none, or two. */
export function commonPattern(rows: readonly (readonly InRow[])[]): TurnPattern | undefined {
  const [first, ...others] = rows.map(patternOf);
  if (first === undefined || others.length === 0) return undefined;
  return others.every((one) => one && isSame(one, first)) ? first : undefined;
}

function isSame(one: TurnPattern, other: TurnPattern): boolean {
  return one.kind === other.kind && periodOf(one) === periodOf(other);
}

function periodOf(pattern: TurnPattern): number {
  return pattern.kind === "all-but-first" ? 0 : pattern.every;
}

/** The pattern as a clause: "every second good request is refused". */
export function patternInWords(pattern: TurnPattern): string {
  if (pattern.kind === "all-but-first") {
    return "of good tokens with the same `iat`, all but the first are refused";
  }
  const { kind, every } = pattern;
  const which = ORDINALS[every] ?? `${every}th`;
  return kind === "refused"
    ? `every ${which} good request is refused`
    : `only every ${which} good request is accepted`;
}

const ORDINALS: Readonly<Record<number, string>> = { 2: "second", 3: "third" };
