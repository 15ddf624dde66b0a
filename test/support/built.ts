import { existsSync } from "node:fs";
import { join } from "node:path";

import { packageRoot } from "../../src/lib/package-root.ts";

// Every test file that needs a build imports this one, so that it says what is missing before any test.
if (!existsSync(join(packageRoot, "dist/command/start.cjs"))) {
  throw new Error(
    "This test starts the built command, and there is none: run `npm run build` first.",
  );
}

/** The built command, for tests that start it as a process. */
export const COMMAND: string = join(packageRoot, "bin/orgsync-conformance.js");
