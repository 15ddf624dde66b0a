import { statSync } from "node:fs";
import { lstat, readdir } from "node:fs/promises";
import { join, resolve } from "node:path";
import { setTimeout } from "node:timers/promises";

import { SuiteError } from "../lib/errors.ts";

/** Between two looks at the folder. Two equal ones in a row end a series of changes. */
const PAUSE_MS = 300;
const IGNORED = new Set(["node_modules", ".git"]);

/** A folder whose changes are waited for. */
export interface WatchedFolder {
  /** What is there now. Changes count from then on. */
  look(): Promise<string>;
  /** Resolves when files have changed since a look and change no more; with `undefined` when the signal aborts. */
  changed(before: string, signal: AbortSignal): Promise<string | undefined>;
}

/**
 * @param shown the folder, as the user named it
 * @param out an absolute folder in it whose changes do not count. Default: all count
 * @throws SuiteError when there is no such folder
 */
export function watchFolder(shown: string, cwd: string, out?: string): WatchedFolder {
  const folder = resolve(cwd, shown);
  if (!statSync(folder, { throwIfNoEntry: false })?.isDirectory()) {
    throw new SuiteError("ERR_FLAG", `--watch ${shown}: there is no such folder`);
  }
  return {
    look: () => filesIn(folder, out),
    changed: (before, signal) => changed(folder, out, before, signal),
  };
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
