import type { OperationId } from "../../../src/contract/operations.ts";
import type { Probe } from "../../../src/probe/probe.ts";
import { isSubmittedElsewhere, namesIn } from "./records.ts";
import { type Alone, askAlone, askTogether, type Kind, type Seen } from "./side-by-side.ts";

// Finds out whether concurrent requests receive one another's answers.

const ROUNDS = 3;
/**
 * The number of rounds where answers showed less than they do alone, and nothing worse. A further
 * round may show a worse effect.
 */
const MOST_ROUNDS = 12;
/** The requests of each kind in a round: fewer where there are many kinds. */
const AT_ONCE = { few: 3, many: 2 };
const MANY_KINDS = 4;

/** An answer that differs from the one that the same request receives alone. */
export interface Crossing {
  readonly kind: Kind;
  readonly exchange: string;
  /**
   * - `let-in`: accepted, though it must be refused and is refused alone
   * - `foreign`: shows data of another organization
   * - `less`: refused, or shows none of its own data
   */
  readonly what: "let-in" | "foreign" | "less";
  /** The record of the other organization; only with `foreign`. */
  readonly record?: string;
}

/** What several rounds showed. */
interface Rounds {
  readonly crossings: readonly Crossing[];
  /** The number of requests. */
  readonly asked: number;
  /** Whether two requests were under way at once. */
  readonly overlapping: boolean;
  /** Whether the deployment put off a request that was sent beside others. */
  readonly deferred: boolean;
  /** Kinds of which no request had a clear answer. */
  readonly unclear: readonly Kind[];
  /** Ids of the exchanges of the last round. */
  readonly last: readonly string[];
}

/**
 * Sends requests of all kinds at once, in several rounds. It sends more rounds where answers showed
 * less than they do alone, and nothing worse.
 * @param alone the kinds, and the answers that each receives alone
 * @throws CaseEnd where a request cannot be sent
 */
export async function crossingsOf(
  probe: Probe,
  operation: OperationId,
  alone: ReadonlyMap<Kind, Alone>,
): Promise<Rounds> {
  const kinds = [...alone.keys()];
  const atOnce = kinds.length < MANY_KINDS ? AT_ONCE.few : AT_ONCE.many;
  const crossings: Crossing[] = [];
  const clear = new Set<Kind>();
  const onlyLess = (): boolean =>
    crossings.length > 0 && crossings.every(({ what }) => what === "less");
  let asked = 0;
  let overlapping = false;
  let deferred = false;
  // In the order in which they were sent, because the order of arrival is random.
  let last: string[] = [];
  for (let round = 0; round < (onlyLess() ? MOST_ROUNDS : ROUNDS); round++) {
    // Rotates the kinds, because the last request to arrive may decide the answers of all.
    const first = round % kinds.length;
    const turned = [...kinds.slice(first), ...kinds.slice(0, first)];
    const answers = await askTogether(probe, operation, turned, atOnce);
    asked += answers.seen.length;
    overlapping ||= answers.overlapping;
    deferred ||= answers.deferred;
    last = answers.seen.map(({ exchange }) => exchange);
    for (const { kind, received } of answers.seen) if (received !== "unclear") clear.add(kind);
    crossings.push(
      ...answers.seen.flatMap((seen) => crossingOf(probe, operation, seen, alone) ?? []),
    );
  }
  const unclear = kinds.filter((kind) => !clear.has(kind));
  return { crossings, asked, overlapping, deferred, unclear, last };
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
  // Compares only names, because other members of a record may change at any time.
  const isLess = before.names.size > 0 && ![...before.names].some((name) => names.has(name));
  return isLess ? { kind, exchange, what: "less" } : undefined;
}

/**
 * Whether a kind must not show a record. It may show every record that it showed alone. Others are
 * foreign as follows:
 * - list: an organization that the token is not bound to, or that is denied to its subject
 * - view: another organization than the one that it showed alone
 * - feed and change: a record that another organization showed alone, with a name that this
 *   organization never showed. A new change of its own may look like one of another organization.
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
        namesIn(record, probe.seen.uniqueValues).some((name) => !before.names.has(name))
      );
  }
}

/** The kind for another organization that showed the record alone; `undefined` where none did. */
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
 * The crossings that have no other explanation. A change that shows late may belong to both feeds, so
 * the request is sent alone again, and must not show it. A change that the run itself submitted to
 * another organization needs no such check.
 * @throws CaseEnd where a request cannot be sent
 */
export async function provenOf(
  probe: Probe,
  operation: OperationId,
  crossings: readonly Crossing[],
): Promise<Crossing[]> {
  const after = new Map<Kind, Alone>();
  const proven: Crossing[] = [];
  const isOfFeed = operation === "readChangesFeed" || operation === "readChange";
  for (const crossing of crossings) {
    const { kind, record } = crossing;
    const mayBeOfBoth = isOfFeed && record !== undefined;
    if (mayBeOfBoth && !isSubmittedElsewhere(record, kind.organization, probe)) {
      const now = after.get(kind) ?? (await askAlone(probe, operation, kind));
      after.set(kind, now);
      if (now.ever.has(record)) continue;
    }
    proven.push(crossing);
  }
  return proven;
}
