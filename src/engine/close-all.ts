/** Longer than any run; the timer is only there to be there. */
const LONG_MS = 2 ** 30;

/**
 * Waits until all of them are closed. What they close may not keep the process alive any more (an idle connection, a
 * listener, a worker): without a timer that does, Node could end before anybody says what came of the run.
 * @throws what the first of them rejected with
 */
export async function closeAll(closing: readonly (Promise<unknown> | undefined)[]): Promise<void> {
  const alive = setInterval(() => undefined, LONG_MS);
  try {
    await Promise.all(closing.filter((one) => one !== undefined));
  } finally {
    clearInterval(alive);
  }
}
