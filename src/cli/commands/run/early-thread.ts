import { resolve } from "node:path";
import type { Worker } from "node:worker_threads";

import { startThread } from "../../../document/thread.ts";
import { readRegularFile } from "../../../lib/regular-file.ts";
import { profileFile } from "../../profile-file.ts";

const MOST_BYTES = 64 * 1024;

/**
 * Starts the thread that reads the deployment's document, if the profile seems to name one. That takes as long as loading
 * what reads the profile, so both happen at once.
 * @param profile the file of `--profile`
 * @param cwd an absolute folder, where it starts
 */
export function startEarly(profile: string | undefined, cwd: string): Worker | undefined {
  const file = profileFile(profile, cwd);
  if (file === undefined) return undefined;
  try {
    const text = readRegularFile(resolve(cwd, file), MOST_BYTES).toString();
    return /^[\s{"']*openapi["']?\s*:/m.test(text) ? startThread() : undefined;
  } catch {
    // Whoever reads the profile says what is wrong with it.
    return undefined;
  }
}
