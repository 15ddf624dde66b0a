import { execFileSync } from "node:child_process";
import { symlinkSync } from "node:fs";
import { join } from "node:path";

import { packageRoot } from "../lib/package-root.ts";

/**
 * Puts a commit of this repository into a folder and builds it there, with the dependencies that are
 * installed here.
 * @param folder exists and is empty
 * @throws Error when git knows no such commit, or the build fails
 */
export function checkOut(commit: string, folder: string): void {
  const archive = join(folder, "commit.tar");
  execFileSync("git", ["archive", "-o", archive, commit], { cwd: packageRoot });
  execFileSync("tar", ["-xf", archive, "-C", folder]);
  symlinkSync(join(packageRoot, "node_modules"), join(folder, "node_modules"), "dir");
  execFileSync("npm", ["run", "--silent", "build"], { cwd: folder, stdio: "inherit" });
}
