import { resolve } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { displayPath, isWithin, realPath } from "../lib/paths.ts";
import type { LoadedProfile } from "./load.ts";

/**
 * Finds a file or folder that a profile names. One that is not trusted may name what is in its own
 * folder and below, by its real path; nothing outside is touched, not even to see whether it is there.
 * @param path as the profile has it
 * @returns absolute
 * @throws SuiteError where the profile may not name it; the message does not say where it stands in the profile
 */
export function ownFile({ folder, cwd, untrusted }: LoadedProfile, path: string): string {
  const file = resolve(folder, path);
  if (!untrusted) return file;
  if (isWithin(folder, file) && isWithin(realPath(folder), realPath(file))) return file;
  throw new SuiteError(
    "ERR_PROFILE",
    `${displayPath(file, cwd)} is outside of the profile's folder`,
    { hint: "With --untrusted a profile may name files in its own folder and below." },
  );
}
