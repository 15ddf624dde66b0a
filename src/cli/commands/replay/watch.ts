import { resolve } from "node:path";

import { explainError } from "../../explain-error.ts";
import type { CommandIo } from "../../io.ts";
import { watchFolder } from "../../watch-folder.ts";
import type { ReplayFlags } from "./flags.ts";

/**
 * Tries once, and again whenever a file in the folder changes, until the user stops the command. Errors of later tries are
 * printed, because a deployment that restarts cannot be reached for a moment.
 * @param shown the folder, as the user named it
 * @param attempt takes the flags of each try, and resolves with its exit code
 * @returns the exit code of the last try
 * @throws SuiteError when the folder cannot be used, or the first try throws it
 */
export async function watch(
  shown: string,
  flags: ReplayFlags,
  attempt: (flags: ReplayFlags) => Promise<number>,
  io: CommandIo,
): Promise<number> {
  const out = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  const folder = watchFolder(shown, io.cwd, out);
  const stop = new AbortController();
  const stopListening = io.onStop(() => stop.abort());
  try {
    // Changes during a try count too.
    let before = await folder.look();
    let code = await attempt(flags);
    while (!stop.signal.aborted) {
      io.stderr.write(`Waiting for changes in ${shown}\n`);
      const after = await folder.changed(before, stop.signal);
      if (after === undefined) break;
      before = after;
      code = await attempt(flags).catch((error: unknown) => explainError(error, io));
    }
    return code;
  } finally {
    stopListening();
  }
}
