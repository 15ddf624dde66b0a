import type { OperationId } from "../../../src/contract/operations.ts";
import type { Reply } from "../../../src/http/exchange.ts";
import type { Mutation } from "../../../src/mutations/mutation.ts";
import { together } from "../../../src/probe/finding.ts";
import type { AttemptOptions, Probe } from "../../../src/probe/probe.ts";
import { reception } from "../../../src/probe/reception.ts";
import { namesIn, shownRecords } from "./records.ts";

// Sends the same requests one after another and concurrently, and notes what each answer shows.

/** A request with a token of its own. */
export interface Kind {
  readonly mutation: Mutation;
  readonly options: AttemptOptions;
  /** The organization in the path, or for the list the token's own. Default: none. */
  readonly organization?: string | undefined;
  /** For the list: an organization that is denied to the subject. Default: none. */
  readonly denied?: string | undefined;
  /** Whether the contract requires a refusal, so that it must always be refused. Default: false. */
  readonly refused?: boolean;
  /** Whether the case goes on without a token or clear answer for this kind. Default: false. */
  readonly optional?: boolean;
}

/** The parts of an answer that tell whose request it answers. */
export interface Seen {
  readonly exchange: string;
  readonly received: "accepted" | "refused" | "unclear";
  /** See `shownRecords`; empty unless the request was accepted. */
  readonly records: ReadonlySet<string>;
  /** See `namesIn`; empty unless the request was accepted. */
  readonly names: ReadonlySet<string>;
}

/**
 * The majority of several answers to one kind, sent one after another. A single answer is not enough,
 * because a receiver that mixes up requests may return the answer to a concurrent case.
 */
export interface Alone {
  /** The most frequent one that is clear; `unclear` where none is. */
  readonly received: Seen["received"];
  /** Records that most accepted answers showed. */
  readonly own: ReadonlySet<string>;
  /** Names that most accepted answers showed. */
  readonly names: ReadonlySet<string>;
  /** Records that any answer showed. */
  readonly ever: ReadonlySet<string>;
  readonly exchanges: readonly string[];
}

async function ask(
  probe: Probe,
  operation: OperationId,
  { mutation, options }: Kind,
  sideBySide = false,
): Promise<Seen & { readonly reply: Reply }> {
  const { reply, control } = await probe.attempt(mutation, { ...options, sideBySide });
  const received = receivedOf(reply);
  const isShown = received === "accepted";
  return {
    exchange: reply.exchange.id,
    received,
    records: new Set(
      isShown ? shownRecords(operation, reply, control.reply, probe.target) : undefined,
    ),
    names: new Set(isShown ? namesIn(reply.body, probe.seen.uniqueValues) : undefined),
    reply,
  };
}

/**
 * Sends a kind twice while no other kind is under way, and a third time if the two answers show different things.
 * @throws CaseEnd where it cannot be sent
 */
export async function askAlone(probe: Probe, operation: OperationId, kind: Kind): Promise<Alone> {
  const once = (): ReturnType<typeof ask> => ask(probe, operation, kind);
  // Two requests of one kind may get each other's answers, because these must be the same.
  const seen = [...(await together([once(), once()]))];
  if (!agree(seen)) seen.push(await once());
  const clear = seen.map(({ received }) => received).filter((one) => one !== "unclear");
  const accepted = seen.filter(({ received }) => received === "accepted");
  return {
    received: clear.toSorted((a, b) => times(clear, b) - times(clear, a))[0] ?? "unclear",
    own: inMost(accepted.map(({ records }) => records)),
    names: inMost(accepted.map(({ names }) => names)),
    ever: new Set(accepted.flatMap(({ records }) => [...records])),
    exchanges: seen.map(({ exchange }) => exchange),
  };
}

/** Whether all of them showed the same, so that one more answer could not outvote them. */
function agree([first, ...others]: readonly Seen[]): boolean {
  return others.every(
    ({ received, records, names }) =>
      received === first?.received &&
      isSameSet(records, first.records) &&
      isSameSet(names, first.names),
  );
}

function isSameSet(one: ReadonlySet<string>, other: ReadonlySet<string>): boolean {
  return one.size === other.size && [...one].every((value) => other.has(value));
}

function times(all: readonly string[], one: string): number {
  return all.filter((other) => other === one).length;
}

function inMost(sets: readonly ReadonlySet<string>[]): Set<string> {
  const all = new Set(sets.flatMap((set) => [...set]));
  return new Set(
    [...all].filter((one) => sets.filter((set) => set.has(one)).length * 2 > sets.length),
  );
}

/**
 * Sends each kind several times, all at once.
 * @returns the answers, in the order in which the requests were sent; whether two were under way at
 *   once; and whether the deployment put one off
 * @throws CaseEnd where a request cannot be sent
 */
export async function askTogether(
  probe: Probe,
  operation: OperationId,
  kinds: readonly Kind[],
  atOnce: number,
): Promise<{
  seen: (Seen & { readonly kind: Kind })[];
  overlapping: boolean;
  deferred: boolean;
}> {
  const order = Array.from({ length: atOnce }, () => kinds).flat();
  const asked = await together(
    order.map(async (kind) => ({ kind, ...(await ask(probe, operation, kind, true)) })),
  );
  return {
    seen: asked.map(({ reply: _reply, ...seen }) => seen),
    overlapping: overlap(asked.map(({ reply }) => reply)),
    deferred: asked.some(({ reply }) => reply.deferred),
  };
}

function overlap(replies: readonly Reply[]): boolean {
  const spans = replies
    .flatMap(({ underWay }) => underWay ?? [])
    .toSorted((one, other) => one.from - other.from);
  return spans.some(({ to }, at) => {
    const next = spans[at + 1];
    return next !== undefined && next.from < to;
  });
}

function receivedOf(reply: Reply): Seen["received"] {
  // An incomplete answer does not tell whose data it shows.
  if (reply.cut) return "unclear";
  const received = reception(reply);
  return received === "accepted" || received === "unclear" ? received : "refused";
}
