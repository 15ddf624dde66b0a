// Checks what npm would publish, with publint and "are the types wrong?". Needs a build, but no network.
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

const root = fileURLToPath(new URL("..", import.meta.url));
if (!existsSync(join(root, "dist/src/index.js"))) {
  console.error("There is no build to check: run `npm run build` first.");
  process.exit(2);
}

const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });
const tool = (name) => join(root, "node_modules/.bin", name);
const folder = mkdtempSync(join(tmpdir(), "orgsync-package-"));

try {
  run("npm", "pack", "--ignore-scripts", "--silent", "--pack-destination", folder);
  const [tarball] = readdirSync(folder).map((file) => join(folder, file));
  run(tool("publint"), "run", tarball, "--strict");
  run(tool("attw"), tarball, "--profile", "esm-only", "--no-emoji");
} catch (error) {
  // The tool has already printed what is wrong.
  if (error.status === undefined) throw error;
  process.exitCode = 1;
} finally {
  rmSync(folder, { recursive: true });
}
