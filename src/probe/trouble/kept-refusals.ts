import type { Reply } from "../../http/exchange.ts";
import type { Observe } from "../outgoing-request.ts";
import { reception } from "../reception.ts";

/** Refusals that are given again for a while to every request with the same URL, whatever its token. */
export interface KeptRefusals {
  /** How long a refusal was given again at least, in milliseconds. */
  readonly keptMs: number;
  /** What shows that the answer to a good request was made for another one; `undefined` where nothing proves it. */
  readonly proof: ForeignProof | undefined;
}

/** What proves that a refusal was made for an earlier request. */
export type ForeignProof = "age" | "request-id" | "date";

/** A bad request, and the good one with its URL right after it, which was refused too. */
export interface KeptRound {
  readonly bad: Reply;
  readonly kept: Reply;
}

/** Fields with an id of the request, by the names that gateways and frameworks give it. */
const REQUEST_IDS = [
  "x-request-id",
  "request-id",
  "x-correlation-id",
  "x-trace-id",
  "x-amzn-requestid",
  "cf-ray",
];

/**
 * What proves in each round that the good request got the answer to the bad one: an `Age` (RFC 9111 §5.1), which the bad request's
 * answer lacks, or the id of that request, which is another one in each round.
 */
export function proofIn(rounds: readonly KeptRound[]): ForeignProof | undefined {
  if (rounds.every(({ bad, kept }) => "age" in kept.headers && !("age" in bad.headers))) {
    return "age";
  }
  const isRepeated = REQUEST_IDS.some((name) => {
    const ids = rounds.map(({ bad }) => bad.headers[name] ?? "");
    const isEach = rounds.every(({ kept }, at) => ids[at] !== "" && kept.headers[name] === ids[at]);
    return isEach && new Set(ids).size === ids.length;
  });
  return isRepeated ? "request-id" : undefined;
}

/**
 * Whether an answer has the `Date` of an earlier one although more than a second passed between them, by a clock that never goes back. An
 * answer that was made then has a later one, RFC 9110 §6.6.1.
 */
export function hasEarlierDate(bad: Reply, kept: Reply): boolean {
  const { date } = bad.headers;
  const passedMs = (kept.underWay?.from ?? 0) - (bad.underWay?.to ?? Infinity);
  return date !== undefined && kept.headers["date"] === date && passedMs > MORE_THAN_A_SECOND_MS;
}

const MORE_THAN_A_SECOND_MS = 1100;

/** For how long a request is held back, so that it does not get the refusal of an earlier one. */
export interface Pauses {
  /** In milliseconds, by the refusals that were kept; 0 where nothing has to be waited for. */
  leftMs(path: string, kept: KeptRefusals | undefined): number;
}

/** A refusal may be kept for somewhat longer than was measured. */
const LONGER = 1.25;
/** A run waits no longer in all. */
const MOST_WAITED_MS = 120_000;

/** Records when each URL was refused last. */
export function createPauses(observe: Observe): Pauses {
  let grantedMs = MOST_WAITED_MS;
  const refusedAt = new Map<string, number>();
  observe(({ reply, sending: { spec } }) => {
    if (reception(reply) === "rejected") refusedAt.set(spec.path, performance.now());
  });
  return {
    leftMs(path, kept) {
      const at = refusedAt.get(path);
      if (!kept || at === undefined) return 0;
      const leftMs = Math.max(0, at + kept.keptMs * LONGER - performance.now());
      grantedMs -= leftMs;
      return grantedMs > 0 ? leftMs : 0;
    },
  };
}
