import { basename, relative } from "node:path";

import type { CommandIo } from "./io.ts";

const FILE = "orgsync-conformance.js";

/**
 * The words that start this command again as the user started it, to be shown before further arguments. `undefined` where npm
 * has installed it: then it is what reports show anyway, `npx --no-install orgsync-conformance`.
 */
export function startedAs({ self, cwd }: Pick<CommandIo, "self" | "cwd">): string[] | undefined {
  const script = self.length > 1 ? self.at(-1) : undefined;
  if (script === undefined || /[\\/]node_modules[\\/]/.test(script)) return undefined;
  // Another name is that of a link in a folder of the PATH.
  return basename(script) === FILE
    ? ["node", relative(cwd, script).replaceAll("\\", "/")]
    : ["orgsync-conformance"];
}
