import { onTestFinished, vi } from "vitest";

/** The time limit of requests in tests where some are never answered. */
export const TIME_LIMIT_MS = 1000;

/**
 * Stops the clock by which requests time out, until the test has ended: a slow machine makes none late.
 * @returns lets so many milliseconds pass for all requests that are under way; does nothing once the test has ended, because
 * what its server still writes may call it then
 */
export function holdTimeLimits(limitMs: number = TIME_LIMIT_MS): () => void {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
  let isHeld = true;
  onTestFinished(() => {
    isHeld = false;
    vi.useRealTimers();
  });
  return () => {
    if (isHeld) vi.advanceTimersByTime(limitMs);
  };
}
