import type { Span } from "../clock.ts";
import type { Reply } from "../exchange.ts";

/** What a client has lost with requests that no answer followed that could be judged, or spent on too large answers. */
export interface Lost {
  readonly origin: string;
  /** The requests, and all that were sent. */
  readonly unanswered: number;
  readonly requests: number;
  /** The time during which at least one of them was under way. */
  readonly milliseconds: number;
  /** Of all bodies; see `BodyStore.bytes`. */
  readonly bytes: number;
  /** The last request without such an answer, or the last of all where the answers are too large together. */
  readonly example: Reply;
}

/**
 * Must be called for each request when it has ended.
 * @param span by a clock that never goes back
 * @param bytes of all bodies so far; see `BodyStore.bytes`
 * @returns what was lost, where it is so much that to go on is in vain
 */
export type LostTime = (reply: Reply, span: Span, bytes?: number) => Lost | undefined;

/** The shortest time to lose, in milliseconds, before a client gives up. */
const LEAST_MS = 30_000;
/** A slow server gets so many time limits of a request. */
const LIMITS = 4;
/**
 * A complete answer makes up for so much. So a client goes on as long as no more than about one of six requests times out, and
 * gives up soon where the answers to all requests of a kind never end.
 */
const MADE_UP_MS = 250;

/** So many answers in a row are not all too long by accident. */
const MOST_TOO_LONG = 32;
/** All answers of a run are judged, which takes up to a minute for so many bytes. Few runs read a tenth of it. */
export const MOST_BYTES: number = 384 * 1024 * 1024;

/**
 * Measures the time that is lost with requests that time out, are cut off or reset, or whose bodies are longer than what is
 * read. Without a limit, a server that never ends its answers would hold a run for hours. A server that is slow but answers in
 * time loses nothing, unless its answers are too large together.
 * @param timeoutMs the time limit of a request
 * @param mostMs how much may be lost; default: 30 seconds, and at least four time limits
 */
export function createLostTime(
  origin: string,
  timeoutMs: number,
  mostMs: number = Math.max(LEAST_MS, LIMITS * timeoutMs),
): LostTime {
  /** The times that were lost, in their order, without overlaps. */
  const spans: Span[] = [];
  let lostMs = 0;
  let madeUpMs = 0;
  let unanswered = 0;
  let requests = 0;
  /** The latest answers in a row that were too long. */
  let tooLong = 0;

  function lose({ from, to }: Span): void {
    let start = from;
    for (let last = spans.at(-1); last && last.to >= start; last = spans.at(-1)) {
      start = Math.min(start, last.from);
      lostMs -= last.to - last.from;
      spans.pop();
    }
    spans.push({ from: start, to });
    lostMs += to - start;
  }

  return (reply, span, bytes = 0) => {
    requests += 1;
    tooLong = reply.cut ? tooLong + 1 : 0;
    let isTooMuch = bytes > MOST_BYTES;
    if (isLost(reply)) {
      unanswered += 1;
      lose(span);
      isTooMuch = lostMs - madeUpMs >= mostMs || tooLong >= MOST_TOO_LONG;
    } else {
      madeUpMs = Math.min(lostMs, madeUpMs + MADE_UP_MS);
    }
    if (!isTooMuch) return undefined;
    return { origin, unanswered, requests, milliseconds: lostMs, bytes, example: reply };
  };
}

/** Whether a request had no answer, or none that can be judged, although it was sent. */
function isLost({ cut, exchange: { fault } }: Reply): boolean {
  return fault ? fault.kind !== "unreachable" && fault.kind !== "tls" : cut;
}
