import type { CommandIo } from "./io.ts";

/** Exit code of a command that was interrupted. */
export const INTERRUPTED = 130;

/**
 * Aborts its signal at the first signal to stop, and exits the process at the second.
 * @param said what happens now, as a sentence for stderr
 * @returns the signal, and a function that stops listening
 */
export function listenForStop(
  io: CommandIo,
  said: string,
): { readonly signal: AbortSignal; readonly stopListening: () => void } {
  const interrupt = new AbortController();
  const { signal } = interrupt;
  const stopListening = io.onStop(() => {
    if (signal.aborted) return io.exit(INTERRUPTED);
    interrupt.abort();
    io.stderr.write(`\nInterrupted: ${said} Once more exits at once.\n`);
  });
  return { signal, stopListening };
}

/** Resolves at the first signal to stop; the second one exits the process. */
export async function untilStopped(io: CommandIo): Promise<void> {
  let wishes = 0;
  await new Promise<void>((resolve) => {
    io.onStop(() => {
      wishes += 1;
      if (wishes > 1) io.exit(INTERRUPTED);
      resolve();
    });
  });
}
