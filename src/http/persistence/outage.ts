import type { Reply } from "../exchange.ts";
import { SECOND_TRIES, waitBefore } from "../second-tries.ts";
import type { RateLimiter } from "./rate-limiter.ts";

/** A request after which no connection was accepted, although nothing else was under way. */
export interface Crash {
  /** `<rule id>/<case id>`, or the name of the set-up step. */
  readonly caseId: string;
  /** How often requests of it have lost their connection, this time included. */
  readonly times: number;
}

/** How a client handles a deployment that goes down and is started again. */
export interface Outages {
  /** In the order in which they were found. */
  readonly crashes: readonly Crash[];
  /** Names of requests that lost their connection together with others, which were answered later, and then alone. */
  readonly lostAgain: readonly string[];
  /** Whether the deployment stayed down for longer than a run waits. */
  readonly isGone: boolean;
  /** Whether a request of this case was cut off when the deployment went down, or at the same time as another one. */
  isSuspect(name: string): boolean;
  /** Whether the last request of this case was cut off although it was sent alone. To send it again would hardly help. */
  isLostAlone(name: string): boolean;
  /** Must be called for every reply. */
  note(name: string, reply: Reply): void;
  /** Whether a reply means that the deployment is down and worth waiting for. */
  isDown(reply: Reply): boolean;
  /**
   * Waits at most 30 seconds until the deployment accepts connections again.
   * @param again sends the request once more; the deployment received nothing of it before
   * @returns the first reply that is not `unreachable`, or the last one
   * @throws Interrupted
   */
  outlast(reply: Reply, again: () => Promise<Reply>): Promise<Reply>;
  /**
   * Judges a request that was sent while nothing else was under way. It is a crash where its
   * connection was closed and the deployment then refuses connections. Then waits until it accepts
   * them again.
   * @param knock sends a plain read
   * @throws Interrupted
   */
  judgeLone(name: string, reply: Reply, knock: () => Promise<Reply>): Promise<Reply>;
}

/** @param wait waits a number of milliseconds; rejects with Interrupted */
export function createOutages(wait: RateLimiter["wait"]): Outages {
  const crashes: Crash[] = [];
  const suspects = new Set<string>();
  /** Cases that were cut off, and when. No request that was sent later has a response. */
  const cutOff = new Map<string, number>();
  const lostAlone = new Set<string>();
  /** With which others a request was cut off at the same time. */
  const lostWith = new Map<string, Set<string>>();
  const lostAgain = new Set<string>();
  const answeredNames = new Set<string>();
  const lostTimes = new Map<string, number>();
  let answered = false;
  let isGone = false;

  function suspectCutOff(): void {
    for (const name of cutOff.keys()) suspects.add(name);
    cutOff.clear();
  }

  async function outlast(reply: Reply, again: () => Promise<Reply>): Promise<Reply> {
    suspectCutOff();
    const row = SECOND_TRIES.down;
    let latest = reply;
    let waitedMs = 0;
    for (let tries = 1; latest.exchange.fault?.kind === "unreachable"; tries++) {
      if (waitedMs >= (row.withinMs ?? Number.POSITIVE_INFINITY)) {
        isGone = true;
        return latest;
      }
      const waitMs = waitBefore(row, tries);
      await wait(waitMs);
      waitedMs += waitMs;
      latest = await again();
    }
    return latest;
  }

  return {
    crashes,
    get lostAgain() {
      return [...lostAgain].filter((name) =>
        [...(lostWith.get(name) ?? [])].some((other) => answeredNames.has(other)),
      );
    },
    get isGone() {
      return isGone;
    },
    isSuspect: (name) => suspects.has(name),
    isLostAlone: (name) => lostAlone.has(name),
    note(name, reply) {
      const { from, to } = reply.underWay ?? { from: Infinity, to: Infinity };
      if (wasCutOff(reply)) {
        // A process that ends takes all connections with it, and another one may accept new ones at once.
        const together = [...cutOff].filter(([one, since]) => one !== name && since >= from);
        for (const [one] of together) {
          suspects.add(one).add(name);
          lostWith.set(one, (lostWith.get(one) ?? new Set()).add(name));
          lostWith.set(name, (lostWith.get(name) ?? new Set()).add(one));
        }
        lostTimes.set(name, (lostTimes.get(name) ?? 0) + 1);
        cutOff.set(name, to);
      }
      // Before others are answered again: a supervisor may start the deployment at once.
      if (reply.exchange.fault?.kind === "unreachable") suspectCutOff();
      if (reply.status === 0) return;
      answered = true;
      answeredNames.add(name);
      isGone = false;
      // A response to an earlier request may be noted after the deployment went down.
      for (const [one, since] of cutOff) if (since <= from) cutOff.delete(one);
    },
    isDown: ({ exchange: { fault } }) => fault?.kind === "unreachable" && answered && !isGone,
    outlast,
    async judgeLone(name, reply, knock) {
      lostAlone.delete(name);
      if (!wasCutOff(reply)) return reply;
      lostAlone.add(name);
      const after = await knock();
      if (after.exchange.fault?.kind !== "unreachable") {
        lostAgain.add(name);
        return reply;
      }
      crashes.push({ caseId: name, times: lostTimes.get(name) ?? 1 });
      await outlast(after, knock);
      return { ...reply, crashed: true };
    },
  };
}

function wasCutOff({ exchange: { fault } }: Reply): boolean {
  return fault?.kind === "reset" || fault?.kind === "cut";
}
