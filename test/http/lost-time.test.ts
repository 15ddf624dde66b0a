import { expect, test } from "vitest";

import type { Reply } from "../../src/http/exchange.ts";
import { createLostTime, type LostTime, MOST_BYTES } from "../../src/http/persistence/lost-time.ts";

const COMPLETE = { cut: false, exchange: {} } as Reply;
const TIMED_OUT = { cut: false, exchange: { fault: { kind: "timeout" } } } as Reply;
const TOO_LONG = { ...COMPLETE, cut: true };

const many = (count: number, reply: Reply): Reply[] => Array.from({ length: count }, () => reply);

const lostTime = (timeoutMs = 10_000): LostTime =>
  createLostTime("http://localhost", timeoutMs, undefined);

/** When a client gives up, in seconds; each round has so many requests side by side, which take so many seconds. */
function givesUpAfter(
  lost: LostTime,
  rounds: number,
  seconds: number,
  round: readonly Reply[],
): number | undefined {
  for (let n = 0; n < rounds; n++) {
    const span = { from: n * seconds * 1000, to: (n + 1) * seconds * 1000 };
    if (round.some((reply) => lost(reply, span))) return span.to / 1000;
  }
  return undefined;
}

test.each<[string, number, readonly Reply[], number, number | undefined]>([
  ["none is answered", 10, many(8, TIMED_OUT), 10, 40],
  ["one after the other is not answered", 10, [TIMED_OUT], 10, 40],
  ["half of them are not answered", 10, [...many(8, TIMED_OUT), ...many(8, COMPLETE)], 10, 50],
  ["all are too long", 0.5, [TOO_LONG, TOO_LONG], 10, 8],
  ["half of them are too long", 0.5, [TOO_LONG, COMPLETE], 10, 79.5],
  ["all are answered, each shortly before the time limit", 9.9, many(8, COMPLETE), 10, undefined],
  ["one of ten is not answered", 10, [...many(8, TIMED_OUT), ...many(72, COMPLETE)], 10, undefined],
  ["one of six is too long", 0.2, [TOO_LONG, ...many(5, COMPLETE)], 10, undefined],
  ["none is answered within a short time limit", 1, many(8, TIMED_OUT), 1, 30],
])(
  "of many requests, %s: the client gives up in time, or not at all",
  (_what, seconds, round, timeoutSeconds, after) => {
    expect(givesUpAfter(lostTime(timeoutSeconds * 1000), 1000, seconds, round)).toBe(after);
  },
);

test("answers that are complete, but more than the limit together, are given up", () => {
  const lost = lostTime();
  const note = (bytes: number): unknown => lost(COMPLETE, { from: 0, to: 1 }, bytes);
  expect(note(MOST_BYTES)).toBeUndefined();
  expect(note(MOST_BYTES + 1)).toMatchObject({ requests: 2, unanswered: 0, bytes: MOST_BYTES + 1 });
});

test("a deployment that stands still for half a minute is not given up", () => {
  const lost = lostTime();
  for (let n = 0; n < 23; n++) {
    expect(
      lost(TIMED_OUT, {
        from: 10_000 * Math.floor(n / 8),
        to: 10_000 * Math.floor(n / 8 + 1),
      }),
    ).toBeUndefined();
  }
  expect(givesUpAfter(lost, 100, 0.1, [COMPLETE])).toBeUndefined();
});
