import type { CommandIo } from "./io.ts";

/** Exit code of what somebody stopped. */
export const INTERRUPTED = 130;

/** Aborts when somebody wants the command to stop, and ends it at once when they want so again. */
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
