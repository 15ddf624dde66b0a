import type { OperationId } from "../contract/operations.ts";
import type { Probe } from "./probe.ts";
import { isSubmittedElsewhere, namesIn } from "./read/records.ts";
import { type Alone, askAlone, askTogether, type Kind, type Seen } from "./side-by-side.ts";

/** Whether requests that are under way at once are given one another's answers. */

const ROUNDS = 3;
/** So many where less was shown than alone: the next round may show what else the tokens do. */
const MOST_ROUNDS = 12;
/** Of each kind, in each round; of many kinds fewer, so that as much is under way. */
const AT_ONCE = { few: 3, many: 2 };
const MANY_KINDS = 4;
/** An answer that is not the one that its request was given alone. */
export interface Crossing {
  readonly kind: Kind;
  readonly exchange: string;
  /**
   * - `let-in`: accepted, though it has to be refused and is alone
   * - `foreign`: shows what is another organization's
   * - `less`: refused, or shows nothing of its own
   */
  readonly what: "let-in" | "foreign" | "less";
  /** What it shows of another; of `foreign` alone. */
  readonly record?: string;
}

/** Sends all kinds at once, some times, and longer where less was shown than alone and nothing worse. */
export async function crossingsOf(
  probe: Probe,
  operation: OperationId,
  alone: ReadonlyMap<Kind, Alone>,
): Promise<{ crossings: Crossing[]; asked: number; overlapping: boolean; last: string[] }> {
  const kinds = [...alone.keys()];
  const atOnce = kinds.length < MANY_KINDS ? AT_ONCE.few : AT_ONCE.many;
  const crossings: Crossing[] = [];
  const onlyLess = (): boolean =>
    crossings.length > 0 && crossings.every(({ what }) => what === "less");
  let asked = 0;
  let overlapping = false;
  // Those of the last round, as they were sent: how they arrived is chance.
  let last: string[] = [];
  for (let round = 0; round < (onlyLess() ? MOST_ROUNDS : ROUNDS); round++) {
    // Each kind is the last one in some round: the last one to arrive may decide for all.
    const first = round % kinds.length;
    const turned = [...kinds.slice(first), ...kinds.slice(0, first)];
    const answers = await askTogether(probe, operation, turned, atOnce);
    asked += answers.seen.length;
    overlapping ||= answers.overlapping;
    last = answers.seen.map(({ exchange }) => exchange);
    crossings.push(
      ...answers.seen.flatMap((seen) => crossingOf(probe, operation, seen, alone) ?? []),
    );
  }
  return { crossings, asked, overlapping, last };
}

function crossingOf(
  probe: Probe,
  operation: OperationId,
  { kind, exchange, received, records, names }: Seen & { readonly kind: Kind },
  alone: ReadonlyMap<Kind, Alone>,
): Crossing | undefined {
  const before = alone.get(kind);
  if (!before || received === "unclear") return undefined;
  if (received === "refused") {
    return before.received === "accepted" ? { kind, exchange, what: "less" } : undefined;
  }
  const record = [...records].find((one) => isForeign(probe, operation, kind, one, alone));
  if (record !== undefined) return { kind, exchange, what: "foreign", record };
  if (before.received === "refused") {
    return kind.refused ? { kind, exchange, what: "let-in" } : undefined;
  }
  // By name alone: what a record says beside may differ from one second to the next.
  const isLess = before.names.size > 0 && ![...before.names].some((name) => names.has(name));
  return isLess ? { kind, exchange, what: "less" } : undefined;
}

/**
 * Whether a record is none that a kind may show. What it has shown alone is its own, whatever it is. Beside that:
 * - a list may grow, but not by what the token is not bound to, or what is denied to its subject
 * - a view shows the one organization that it has shown alone
 * - a feed may grow by changes of its own, which may look like those of another organization: the record has to be the
 *   same as one of the other's, and to name what the organization's own answers have never named
 */
function isForeign(
  probe: Probe,
  operation: OperationId,
  kind: Kind,
  record: string,
  alone: ReadonlyMap<Kind, Alone>,
): boolean {
  const before = alone.get(kind);
  if (!before || before.own.has(record)) return false;
  switch (operation) {
    case "listOrganizations":
      return (
        record === kind.denied?.toLowerCase() ||
        (kind.organization !== undefined && record !== kind.organization.toLowerCase())
      );
    case "viewOrganization":
      return before.own.size > 0 || ownerOf(kind, record, alone) !== undefined;
    default:
      return (
        ownerOf(kind, record, alone) !== undefined &&
        namesIn(record, probe.uniqueValues).some((name) => !before.names.has(name))
      );
  }
}

/** The kind about another organization that has shown a record as its own. */
export function ownerOf(
  { organization }: Kind,
  record: string,
  alone: ReadonlyMap<Kind, Alone>,
): Kind | undefined {
  const owner = [...alone].find(
    ([other, { own }]) =>
      other.organization?.toLowerCase() !== organization?.toLowerCase() && own.has(record),
  );
  return owner?.[0];
}

/**
 * Those that nothing else explains. A change may show late, and be in both feeds: it is then shown alone, too. What the run
 * itself has submitted to another organization needs no such look.
 */
export async function provenOf(
  probe: Probe,
  operation: OperationId,
  crossings: readonly Crossing[],
): Promise<Crossing[]> {
  const after = new Map<Kind, Alone>();
  const proven: Crossing[] = [];
  for (const crossing of crossings) {
    const { kind, record } = crossing;
    const isOfFeed = operation === "readChangesFeed" || operation === "readChange";
    if (
      record !== undefined &&
      isOfFeed &&
      !isSubmittedElsewhere(record, kind.organization, probe.uniqueValues)
    ) {
      const now = after.get(kind) ?? (await askAlone(probe, operation, kind));
      after.set(kind, now);
      if (now.ever.has(record)) continue;
    }
    proven.push(crossing);
  }
  return proven;
}
