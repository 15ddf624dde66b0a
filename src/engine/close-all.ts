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
    await Promise.all(closing.filter((one) => one !== undefined));
  } finally {
    clearInterval(alive);
  }
}
