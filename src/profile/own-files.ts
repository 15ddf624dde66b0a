import { resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { displayPath, isWithin, realPath } from "../lib/paths.ts";
import type { LoadedProfile } from "./load.ts";

/**
 * Finds a file or folder that a profile names. An untrusted profile may only name files in its own
 * folder and below, by real path. Nothing outside is accessed, not even to see whether it exists.
 * @param path as written in the profile
 * @returns the absolute path
 * @throws SuiteError where the profile must not name it; the message does not say where the profile
 * does
 */
export function ownFile({ folder, cwd, untrusted }: LoadedProfile, path: string): string {
  const file = resolve(folder, path);
  if (!untrusted) return file;
  if (isWithin(folder, file) && isWithin(realPath(folder), realPath(file))) return file;
  throw new SuiteError("ERR_PROFILE", `${displayPath(file, cwd)} is outside the profile's folder`, {
    hint: "With --untrusted a profile may name files in its own folder and below.",
  });
}
