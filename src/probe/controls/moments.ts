import type { Reply } from "../../http/exchange.ts";
import { countEach } from "../../lib/group-by.ts";
import type { Observe } from "../outgoing-request.ts";
import { type Reception, reception } from "../reception.ts";

/** What good requests met in which a deployment refused them for a moment. */
export interface RefusedForAMoment {
  /** Good requests that were refused, although the same request had been accepted before. */
  readonly refused: number;
  /** Good requests with a clear answer. */
  readonly good: number;
  /** How often each status refused a good request. */
  readonly statuses: ReadonlyMap<string, number>;
  /** When the first one was refused, and when the last one was; ISO 8601. */
  readonly from: string;
  readonly to: string;
  /** How many requests of the run had been refused before the first of them. */
  readonly refusalsBefore: number;
}

/**
 * The moments in which a deployment refused good requests: a firewall blocks the client, or keys are not to be had. A moment lasts
 * from the last good request that was accepted before to the first one that was accepted after. An answer that came in it, with the
 * status that refused the good request, proves nothing.
 */
export interface Moments {
  /** Notes that a good request was refused, although the same one had been accepted before. An unclear answer is no refusal. */
  refused(reply: Reply): void;
  /** Whether an exchange proves nothing, because it came in such a moment. */
  cover(exchange: string): boolean;
  /** Whether the exchange got a clear answer that did not accept it. */
  wasRefused(exchange: string): boolean;
  /** Whether the exchange had no answer, or one that says nothing about the request. */
  wasUnclear(exchange: string): boolean;
  /** `undefined` where no good request was refused. */
  summary(): RefusedForAMoment | undefined;
}

interface Answer {
  readonly id: string;
  readonly status: number;
  readonly received: Reception;
  readonly from: number;
  readonly to: number;
  readonly startedAt: string;
}

/** Records the moments of a run. */
export function createMoments(observe: Observe): Moments {
  const answers = new Map<string, Answer>();
  const accepted: Answer[] = [];
  const refused: Answer[] = [];

  /** Whether two answers came in the same moment: no good request was accepted between them. */
  function together(one: Answer, other: Answer): boolean {
    const [first, second] = one.from <= other.from ? [one, other] : [other, one];
    return !accepted.some(({ from, to }) => from >= first.to && to <= second.from);
  }

  observe(({ reply, sending: { purpose } }) => {
    answers.set(reply.exchange.id, answerOf(reply));
    if (purpose === "control" && reception(reply) === "accepted") accepted.push(answerOf(reply));
  });
  return {
    refused(reply) {
      if (isRefusal(answerOf(reply))) refused.push(answerOf(reply));
    },
    cover(id) {
      const answer = answers.get(id);
      if (!answer) return false;
      return refused.some((one) => one.status === answer.status && together(one, answer));
    },
    wasRefused(id) {
      const answer = answers.get(id);
      return answer !== undefined && isRefusal(answer);
    },
    wasUnclear: (id) => answers.get(id)?.received === "unclear",
    summary() {
      const inTime = refused.toSorted((a, b) => a.from - b.from);
      const [first, last] = [inTime.at(0), inTime.at(-1)];
      if (!first || !last) return undefined;
      const before = [...answers.values()].filter((one) => isRefusal(one) && one.to <= first.from);
      return {
        refused: refused.length,
        good: refused.length + accepted.length,
        statuses: countEach(refused.map(({ status }) => String(status))),
        from: first.startedAt,
        to: last.startedAt,
        refusalsBefore: before.length,
      };
    },
  };
}

function isRefusal({ received }: Answer): boolean {
  return !["accepted", "unclear"].includes(received);
}

function answerOf(reply: Reply): Answer {
  const { status, exchange, underWay } = reply;
  const { id, startedAt, durationMs } = exchange;
  const from = underWay?.from ?? Date.parse(startedAt);
  return {
    id,
    status,
    from,
    to: underWay?.to ?? from + durationMs,
    startedAt,
    received: reception(reply),
  };
}
