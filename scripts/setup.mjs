// Prepares a clone, new or just updated: installs the dependencies, then builds.
import { execFileSync } from "node:child_process";
import { existsSync, statSync } from "node:fs";
import { fileURLToPath } from "node:url";

import { whyUnfit } from "../bin/runtime.js";

const root = fileURLToPath(new URL("..", import.meta.url));
const unfit = whyUnfit();
if (unfit !== undefined) {
  console.error(unfit);
  process.exit(2);
}

/** npm writes this file last. It is older than the lock file if the lock file has changed since. */
const installed = `${root}/node_modules/.package-lock.json`;
const fresh =
  existsSync(installed) &&
  statSync(installed).mtimeMs >= statSync(`${root}/package-lock.json`).mtimeMs;

const run = (command, ...args) =>
  execFileSync(command, args, {
    cwd: root,
    stdio: ["ignore", "inherit", "inherit"],
    shell: process.platform === "win32",
  });

/** Runs a step without its output, and prints its name and its duration. */
function step(what, act) {
  const begun = Date.now();
  process.stderr.write(`${what} … `);
  act();
  process.stderr.write(`${Math.ceil((Date.now() - begun) / 1000)} s\n`);
}

try {
  if (!fresh) {
    step("Installing what package-lock.json lists, usually in less than a minute", () =>
      // Without scripts, because `prepare` would build too.
      run(
        "npm",
        "ci",
        "--ignore-scripts",
        "--no-audit",
        "--no-fund",
        "--loglevel=error",
        "--silent",
      ),
    );
  }
  step("Building, a few seconds", () => run("npm", "run", "--silent", "build"));
} catch (error) {
  console.error(`\nSet-up failed: ${error.message}`);
  process.exit(2);
}
