import { expect, test } from "vitest";

import { idleMs } from "../../src/engine/conclusion/conclude.ts";

const startedAt = (ms: number): string => new Date(ms).toISOString();

test("idle time is counted once, and not while a request is in progress", () => {
  const waits = [
    { from: 1000, to: 2000 },
    { from: 1500, to: 3000 },
    { from: 5000, to: 5100 },
  ];
  const exchanges = [
    { startedAt: startedAt(900), durationMs: 200 },
    { startedAt: startedAt(1050), durationMs: 150 },
    { startedAt: startedAt(2500), durationMs: 100 },
    { startedAt: startedAt(4000), durationMs: 2000 },
  ];
  expect(idleMs(waits, exchanges)).toBe(2000 - 200 - 100);
  expect(idleMs([], exchanges)).toBe(0);
});
