import { join } from "node:path";

import { loadCompiled } from "./compiled-code.ts";
import type * as Main from "./main.ts";
import { tuneEngine } from "./tune-engine.ts";

/**
 * Starts the bundled command, in the folder of this file. Compiled code is kept beside it, where nobody can write who cannot
 * change the command as well.
 */
export function startCommand(): void {
  const folder = import.meta.dirname;
  tuneEngine(process.argv.slice(2));
  const { start } = loadCompiled(join(folder, "main.cjs"), join(folder, ".cache")) as typeof Main;
  void start();
}
