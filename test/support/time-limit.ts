import { onTestFinished, vi } from "vitest";

/** The time limit of requests in tests where some are never answered. */
export const TIME_LIMIT_MS = 1000;

/**
 * Stops the clock by which requests time out, until the test has ended: a slow machine makes none late.
 * @returns lets so many milliseconds pass for all requests that are under way
 */
export function holdTimeLimits(limitMs: number = TIME_LIMIT_MS): () => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  onTestFinished(() => void vi.useRealTimers());
  return () => void vi.advanceTimersByTime(limitMs);
}
