import { Interrupted } from "../http/client.ts";

/** Waits for all promises, even after one failed: their values, and the first failure. */
export async function settleAll<T>(
  promises: readonly Promise<T>[],
): Promise<{ done: T[]; failure?: { reason: unknown } }> {
  const results = await Promise.allSettled(promises);
  const failure = results.find((result) => result.status === "rejected");
  return {
    done: results.flatMap((result) => (result.status === "fulfilled" ? [result.value] : [])),
    ...(failure && { failure: { reason: failure.reason as unknown } }),
  };
}

/** Longer than any run. The timer only keeps the process alive. */
const LONG_MS = 2 ** 30;

/**
 * Waits until everything is closed. While resources close, nothing else may keep the process alive,
 * and Node could end before the run reports its result. A timer prevents that.
 * @throws the first rejection
 */
export async function closeAll(closing: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const alive = setInterval(() => undefined, LONG_MS);
  try {
    const { failure } = await settleAll(closing.filter((one) => one !== undefined));
    if (failure) throw failure.reason;
  } finally {
    clearInterval(alive);
  }
}

/** Runs part of a run, or gives `otherwise` where an interrupt ended it. */
export async function interruptible<T>(otherwise: T, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Interrupted) return otherwise;
    throw error;
  }
}
