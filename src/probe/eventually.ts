import type { Session } from "./session.ts";

/** Each wait is this long at first, and twice the one before it then. */
const FIRST_WAIT_MS = 100;

/**
 * Looks again and again, waiting longer each time, until what is seen is what was hoped for or
 * a look has begun `patienceMs` after the first: how long a look takes is not held against the deployment.
 * @param times how many times the patience of a run; default 1
 * @returns the last look
 * @throws Interrupted
 */
export async function eventually<T>(
  { patienceMs: oneMs, wait }: Pick<Session, "patienceMs" | "wait">,
  look: () => Promise<T>,
  hoped: (seen: T) => boolean,
  times = 1,
): Promise<T> {
  const patienceMs = oneMs * times;
  const began = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const isLast = performance.now() - began >= patienceMs;
    const seen = await look();
    if (isLast || hoped(seen)) return seen;
    const leftMs = patienceMs - (performance.now() - began);
    await wait(Math.max(0, Math.min(waitMs, leftMs)));
  }
}
