import type { CommandIo } from "./io.ts";

/** Resolves when somebody wants the command to stop; a second wish ends it at once. */
export async function untilStopped(io: CommandIo): Promise<void> {
  let wishes = 0;
  await new Promise<void>((blocked) => {
    io.onStop(() => {
      wishes += 1;
      if (wishes > 1) io.exit(130);
      blocked();
    });
  });
}
