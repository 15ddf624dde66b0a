import type { Worker } from "node:worker_threads";

import { startThread } from "../../../document/thread.ts";
import { readTextFile } from "../../../profile/text-file.ts";
import { profileFile } from "../../profile-file.ts";

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
    const text = readTextFile(file, "profile", "", { cwd });
    return /^[\s{"']*openapi["']?\s*:/m.test(text) ? startThread() : undefined;
  } catch {
    // Whoever reads the profile says what is wrong with it.
    return undefined;
  }
}
