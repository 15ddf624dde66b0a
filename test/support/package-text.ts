import { readFileSync } from "node:fs";
import { join } from "node:path";

import { packageRoot } from "../../src/lib/package-root.ts";

/** The text of a file of the package, by its path in it. */
export function packageText(path: string): string {
  return readFileSync(join(packageRoot, path), "utf8");
}
