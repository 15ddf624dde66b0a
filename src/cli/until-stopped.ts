import { INTERRUPTED } from "./interrupt.ts";
import type { CommandIo } from "./io.ts";

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
