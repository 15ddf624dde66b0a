import { SECOND_TRIES, type SecondTry, waitBefore } from "../http/second-tries.ts";

/**
 * Looks repeatedly, with increasing waits, until the result is the one hoped for, or a look has begun
 * so long after the first one as its row allows. The time that a look itself takes does not count against the
 * deployment.
 * @param times a factor for the run's patience; default 1
 * @returns the result of the last look
 * @throws Interrupted
 */
export async function eventually<T>(
  {
    within,
    wait,
  }: {
    readonly within: (row: SecondTry) => number;
    readonly wait: (ms: number) => Promise<void>;
  },
  look: () => Promise<T>,
  hoped: (seen: T) => boolean,
  times = 1,
): Promise<T> {
  const row = SECOND_TRIES.notVisibleYet;
  const patienceMs = within(row) * times;
  const began = performance.now();
  for (let tries = 1; ; tries++) {
    const isLast = tries > row.times || performance.now() - began >= patienceMs;
    const seen = await look();
    if (isLast || hoped(seen)) return seen;
    const leftMs = patienceMs - (performance.now() - began);
    await wait(Math.max(0, Math.min(waitBefore(row, tries), leftMs)));
  }
}
