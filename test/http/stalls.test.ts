import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { createStalls, type WatchBody } from "../../src/http/connection/stalls.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** How long a body with this status may pause, in milliseconds; `undefined` where nothing but the request limits it. */
function limitOf(watchBody: WatchBody, status: number): number | undefined {
  let limit: number | undefined;
  const watch = watchBody(status, (limitMs) => (limit = limitMs));
  vi.advanceTimersByTime(3_600_000);
  watch.end();
  return limit;
}

function stall(watchBody: WatchBody, status: number): void {
  const watch = watchBody(status, () => {});
  watch.stalled();
  watch.end();
}

test("the more answers with a status stalled, the less the next one may pause", () => {
  const watchBody = createStalls();
  expect(limitOf(watchBody, 404)).toBeUndefined();
  stall(watchBody, 404);
  expect(limitOf(watchBody, 404)).toBe(2000);
  stall(watchBody, 404);
  stall(watchBody, 404);
  expect(limitOf(watchBody, 404)).toBe(500);
  expect(limitOf(watchBody, 200)).toBeUndefined();
});

test("a body that goes on arriving is not stopped", () => {
  const watchBody = createStalls();
  stall(watchBody, 200);
  const onPause = vi.fn<(limitMs: number) => void>();
  const watch = watchBody(200, onPause);
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
  const watchBody = createStalls();
  const slow = watchBody(404, () => {});
  vi.advanceTimersByTime(1000);
  slow.note(1);
  slow.complete();
  slow.end();
  stall(watchBody, 404);
  stall(watchBody, 404);
  expect(limitOf(watchBody, 404)).toBe(4000);
});
