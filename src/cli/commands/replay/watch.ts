import { statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import { SuiteError } from "../../../lib/errors.ts";
import { explainError } from "../../explain-error.ts";
import type { CommandIo } from "../../io.ts";
import type { ReplayFlags } from "./flags.ts";

/** Between two looks at the folder. Two equal ones in a row end a series of changes. */
const PAUSE_MS = 300;
const IGNORED = new Set(["node_modules", ".git"]);

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
  const folder = resolve(io.cwd, shown);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SuiteError("ERR_FLAG", `--watch ${shown}: there is no such folder`);
  }
  const out = flags.out === undefined ? undefined : resolve(io.cwd, flags.out);
  const stop = new AbortController();
  const stopListening = io.onStop(() => stop.abort());
  try {
    // Changes during a try count too.
    let before = await filesIn(folder, out);
    let code = await attempt(flags);
    while (!stop.signal.aborted) {
      io.stderr.write(`Waiting for changes in ${shown}\n`);
      const after = await changed(folder, out, before, stop.signal);
      if (after === undefined) break;
      before = after;
      code = await attempt(flags).catch((error: unknown) => explainError(error, io));
    }
    return code;
  } finally {
    stopListening();
  }
}

/** Resolves when files have changed and change no more; with `undefined` when the signal aborts. */
async function changed(
  folder: string,
  out: string | undefined,
  before: string,
  signal: AbortSignal,
): Promise<string | undefined> {
  let last = before;
  while (!signal.aborted) {
    // The signal ends the wait, and then the loop.
    await setTimeout(PAUSE_MS, undefined, { signal }).catch(() => {});
    const now = await filesIn(folder, out);
    if (now !== before && now === last) return signal.aborted ? undefined : now;
    last = now;
  }
  return undefined;
}

/** Paths, sizes and times of all files in a folder but those that no change of a deployment touches. Links are not followed. */
async function filesIn(folder: string, out: string | undefined): Promise<string> {
  // A file or folder that vanishes in between is no part of it.
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => []);
  const texts: string[] = [];
  for (const entry of entries) {
    const path = join(folder, entry.name);
    if (IGNORED.has(entry.name) || path === out) continue;
    if (entry.isDirectory()) texts.push(await filesIn(path, out));
    else {
      const found = await lstat(path).catch(() => undefined);
      if (found) texts.push(`${path} ${found.size} ${found.mtimeMs} ${found.ino}`);
    }
  }
  return texts.toSorted().join("\n");
}
