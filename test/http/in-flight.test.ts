import { createServer } from "node:http";

import { expect, test } from "vitest";

import { createInFlight } from "../../src/http/persistence/in-flight.ts";
import { listening } from "../support/listening.ts";
import { hastyClock } from "./clock.ts";
import { sender } from "./wire.ts";

/** How a simulated deployment answers a request that it gets now, beside so many others. */
type Serve = (nowMs: number, others: number, number: number) => { ms: number; refused?: boolean };

/**
 * Sends requests to a simulated deployment, each time as many at once as may be in flight.
 * @returns for each request how many were in flight with it when it was sent
 */
function simulate(serve: Serve, { times = 1000, idle = 1, large = false } = {}): readonly number[] {
  const queue = { concurrency: 0 };
  const inFlight = createInFlight(queue);
  const sent: number[] = [];
  let flying: { from: number; to: number; others: number; refused: boolean }[] = [];
  let nowMs = 0;
  while (sent.length < times) {
    while (flying.length < queue.concurrency) {
      const others = flying.length;
      const { ms, refused = false } = serve(nowMs, others, sent.length);
      sent.push(others + 1);
      flying.push({ from: nowMs, to: nowMs + ms, others, refused });
    }
    const next = flying.reduce((first, one) => (one.to < first.to ? one : first));
    flying = flying.filter((one) => one !== next);
    nowMs = next.to;
    const load = { ...next, idleMs: idle * (next.to - next.from) };
    if (next.refused) inFlight.noteCrowded(load, nowMs);
    else inFlight.note("GET / 200", load, large);
  }
  return sent;
}

/** Serves so many requests at once, each for 20 ms, and lets others wait. */
function serving(atOnce: number): Serve {
  const free = Array.from({ length: atOnce }, () => 0);
  return (nowMs) => {
    const at = free.indexOf(Math.min(...free));
    const done = Math.max(nowMs, free[at] ?? 0) + 20;
    free[at] = done;
    return { ms: done - nowMs };
  };
}

/** Refuses requests beside so many others. */
function refusing(atOnce: number): Serve {
  return (_nowMs, others) => ({ ms: 20, refused: others >= atOnce });
}

const atOnce: Serve = () => ({ ms: 20 });

/** The mean of the second half. */
function settled(sent: readonly number[]): number {
  const half = sent.slice(sent.length / 2);
  return half.reduce((sum, one) => sum + one, 0) / half.length;
}

test.each<[string, Serve, number, number, Parameters<typeof simulate>[1]?]>([
  ["serves all at once", atOnce, 16, 16],
  ["serves one at a time", serving(1), 1, 1.4],
  ["serves four at once", serving(4), 2.5, 6],
  ["refuses more than one at once", refusing(1), 1, 1.1],
  ["refuses more than four at once", refusing(4), 2, 4],
  ["is slow now and then", (_now, _others, number) => ({ ms: number % 5 ? 20 : 500 }), 16, 16],
  ["seems slow as the suite itself is busy", serving(1), 16, 16, { idle: 0.05 }],
  ["has large answers", atOnce, 2, 2, { large: true }],
])("a deployment that %s gets as many as it serves", (_what, serve, least, most, options) => {
  const mean = settled(simulate(serve, options));
  expect(mean).toBeGreaterThanOrEqual(least);
  expect(mean).toBeLessThanOrEqual(most);
});

test("a deployment that was slow for a while gets as many as before", () => {
  const slow = serving(1);
  const sent = simulate((nowMs, ...rest) =>
    nowMs < 4000 ? slow(nowMs, ...rest) : atOnce(nowMs, ...rest),
  );
  expect(Math.min(...sent.slice(100, 200))).toBe(1);
  expect(settled(sent)).toBeGreaterThan(8);
  expect(sent.at(-1)).toBe(16);
});

test("a server that refuses more than one request at once gets one, unless a number is told", async () => {
  let [underWay, most, refused] = [0, 0, 0];
  const server = createServer((_request, answer) => {
    underWay += 1;
    most = Math.max(most, underWay);
    const isRefused = underWay > 1;
    answer.statusCode = isRefused ? 503 : 200;
    refused += Number(isRefused);
    // A refusal is answered before the request because of which it is one. Otherwise the next request is refused because of the refusal.
    const ms = isRefused ? 2 : 8;
    setTimeout(() => {
      underWay -= 1;
      answer.end("{}");
    }, ms);
  });
  const origin = await listening(server);
  const send = async (concurrency?: number): Promise<readonly number[]> => {
    [most, refused] = [0, 0];
    const client = sender(origin, { clock: hastyClock(), concurrency });
    const replies = await Promise.all(Array.from({ length: 200 }, () => client.send()));
    expect(new Set(replies.map(({ status }) => status))).toEqual(new Set([200]));
    return [most, refused];
  };
  const [, ofAll] = await send();
  expect(ofAll).toBeLessThan(20);
  const [told] = await send(6);
  expect(told).toBe(6);
});
