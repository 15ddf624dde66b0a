import type { Session } from "./session.ts";

/** Each wait is this long at first, and twice the one before it then. */
const FIRST_WAIT_MS = 100;

/**
 * Looks again and again, waiting longer each time, until what is seen is what was hoped for or
 * `patienceMs` have passed since the first look.
 * @returns the last look
 * @throws Interrupted
 */
export async function eventually<T>(
  { patienceMs, wait }: Pick<Session, "patienceMs" | "wait">,
  look: () => Promise<T>,
  hoped: (seen: T) => boolean,
): Promise<T> {
  const began = performance.now();
  for (let waitMs = FIRST_WAIT_MS; ; waitMs *= 2) {
    const seen = await look();
    const leftMs = patienceMs - (performance.now() - began);
    if (hoped(seen) || leftMs <= 0) return seen;
    await wait(Math.min(waitMs, leftMs));
  }
}
