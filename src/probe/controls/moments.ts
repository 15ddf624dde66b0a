import type { Reply } from "../../http/exchange.ts";
import { countEach } from "../../lib/group-by.ts";
import type { Observe } from "../outgoing-request.ts";
import { type Reception, reception } from "../reception.ts";
import type { Trouble } from "../trouble/trouble.ts";

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
  /**
   * Whether the client may have been blocked: most of them were refused one after another with no good request accepted between them, or
   * everything that was sent was answered alike at that time.
   */
  readonly isBlock: boolean;
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

/** So many good requests that are refused in a row are no accident. */
const IN_A_ROW = 3;
/** So many equal answers in a row, to requests of any kind, are no accident. */
const ALIKE_IN_A_ROW = 5;

interface Answer {
  readonly id: string;
  readonly url: string;
  readonly status: number;
  readonly received: Reception;
  readonly from: number;
  readonly to: number;
  readonly startedAt: string;
}

/**
 * Records the moments of a run.
 * @param trouble where refusals are kept for their URL, a moment is one of that URL alone
 */
export function createMoments(observe: Observe, trouble: Trouble = {}): Moments {
  const answers = new Map<string, Answer>();
  const accepted: Answer[] = [];
  const refused: Answer[] = [];

  /** Whether two answers came in the same moment: no good request was accepted between them. */
  function together(one: Answer, other: Answer): boolean {
    const [first, second] = one.from <= other.from ? [one, other] : [other, one];
    return !accepted.some(({ from, to }) => from >= first.to && to <= second.from);
  }

  /** See `RefusedForAMoment.isBlock`. */
  function isBlock(inTime: readonly Answer[]): boolean {
    const rows: Answer[][] = [];
    for (const one of inTime) {
      const row = rows.at(-1);
      const last = row?.at(-1);
      if (row && last && together(last, one)) row.push(one);
      else rows.push([one]);
    }
    const blocked = rows.filter((row) => row.length >= IN_A_ROW).flat();
    return blocked.length * 2 > inTime.length || inTime.some((one) => areAlike(one));
  }

  /** Whether so many answers in a row were the same as the refusal of a good request, which is not how a bad token is refused. */
  function areAlike({ id, status }: Answer): boolean {
    if (status === 401) return false;
    const all = [...answers.values()].toSorted((a, b) => a.to - b.to);
    const at = all.findIndex((one) => one.id === id);
    const end = all.findIndex((one, where) => where > at && one.status !== status);
    const start = all.findLastIndex((one, where) => where < at && one.status !== status);
    return (end < 0 ? all.length : end) - start - 1 >= ALIKE_IN_A_ROW;
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
      const isMeant = ({ url }: Answer): boolean => !trouble.keptRefusals || url === answer.url;
      return refused.some(
        (one) => one.status === answer.status && isMeant(one) && together(one, answer),
      );
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
        isBlock: isBlock(inTime),
      };
    },
  };
}

function isRefusal({ received }: Answer): boolean {
  return !["accepted", "unclear"].includes(received);
}

function answerOf(reply: Reply): Answer {
  const { status, exchange, underWay } = reply;
  const { id, startedAt, durationMs, request } = exchange;
  const from = underWay?.from ?? Date.parse(startedAt);
  return {
    id,
    url: request.url,
    status,
    from,
    to: underWay?.to ?? from + durationMs,
    startedAt,
    received: reception(reply),
  };
}
