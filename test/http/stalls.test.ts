import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createStalls, type Stalls } from "../../src/http/connection/stalls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How long a body with this status may pause, in milliseconds; `undefined` where nothing but the request limits it. */
function limitOf(stalls: Stalls, status: number): number | undefined {
  let limit: number | undefined;
  const watch = stalls.watch(status, (limitMs) => (limit = limitMs));
  vi.advanceTimersByTime(3_600_000);
  watch.end();
  return limit;
}

function stall(stalls: Stalls, status: number): void {
  const watch = stalls.watch(status, () => {});
  watch.stalled();
  watch.end();
}

test("the more answers with a status stalled, the less the next one may pause", () => {
  const stalls = createStalls();
  expect(limitOf(stalls, 404)).toBeUndefined();
  stall(stalls, 404);
  expect(limitOf(stalls, 404)).toBe(2000);
  stall(stalls, 404);
  stall(stalls, 404);
  expect(limitOf(stalls, 404)).toBe(500);
  expect(limitOf(stalls, 200)).toBeUndefined();
});

test("a body that goes on arriving is not stopped", () => {
  const stalls = createStalls();
  stall(stalls, 200);
  const onPause = vi.fn<(limitMs: number) => void>();
  const watch = stalls.watch(200, onPause);
  for (let piece = 0; piece < 20; piece++) {
    vi.advanceTimersByTime(1900);
    watch.note(10);
  }
  expect(onPause).not.toHaveBeenCalled();
  expect(watch.arrived).toBe(200);
  vi.advanceTimersByTime(2000);
  expect(onPause).toHaveBeenCalledExactlyOnceWith(2000);
});

test("a body may pause for longer where one did that was then complete", () => {
  const stalls = createStalls();
  const slow = stalls.watch(404, () => {});
  vi.advanceTimersByTime(1000);
  slow.note(1);
  slow.complete();
  slow.end();
  stall(stalls, 404);
  stall(stalls, 404);
  expect(limitOf(stalls, 404)).toBe(4000);
});
