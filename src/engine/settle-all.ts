/**
 * Waits for all promises, even after one has failed, so that none continues after the caller.
 * @returns the fulfilled values in order, and the first failure
 */
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
