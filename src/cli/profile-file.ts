import { existsSync } from "node:fs";
import { resolve } from "node:path";

/** The profile that is used when none is named. */
export const DEFAULT_PROFILE = "orgsync.yaml";

/** The file of the profile to use: the named one, or else the default one if it exists. */
export function profileFile(named: string | undefined, cwd: string): string | undefined {
  return named ?? (existsSync(resolve(cwd, DEFAULT_PROFILE)) ? DEFAULT_PROFILE : undefined);
}
