import { afterEach, beforeEach, expect, test, vi } from "vitest";

import { eventually } from "../../src/probe/eventually.ts";

beforeEach(() => void vi.useFakeTimers({ toFake: ["performance", "setTimeout"] }));
afterEach(() => void vi.useRealTimers());

const wait = async (ms: number): Promise<void> => {
  await vi.advanceTimersByTimeAsync(ms);
};

test("ends as soon as it sees the expected result", async () => {
  const looks: number[] = [];
  const look = async (): Promise<number> => looks.push(performance.now());
  expect(await eventually({ within: () => 5000, wait }, look, (seen) => seen === 3)).toBe(3);
  expect(looks).toEqual([0, 100, 300].map((ms) => ms + (looks[0] ?? 0)));
});

test("looks at least once, and a last time when the patience ends", async () => {
  let looks = 0;
  const look = async (): Promise<number> => (looks += 1);
  const began = performance.now();
  await eventually({ within: () => 1000, wait }, look, () => false);
  expect(performance.now() - began).toBe(1000);
  expect(looks).toBe(5);
  expect(await eventually({ within: () => 0, wait }, look, () => false)).toBe(6);
});

test("throws what ends the run", async () => {
  const interrupted = { within: () => 1000, wait: () => Promise.reject(new Error("interrupted")) };
  const never = eventually(
    interrupted,
    async () => 1,
    () => false,
  );
  await expect(never).rejects.toThrow("interrupted");
});
