// Runs the scripts `check:…` of package.json side by side. Prints the output of those that fail, and in the end their names. That of the
// package, which packs and installs it, runs where the long tests do: with `LONG=1`, as in CI.
import { execFile } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";

const cwd = fileURLToPath(new URL("..", import.meta.url));
const { scripts } = JSON.parse(readFileSync(new URL("../package.json", import.meta.url), "utf8"));
const isLong = process.env["LONG"] === "1";
const names = Object.keys(scripts).filter(
  (name) => name.startsWith("check:") && (isLong || name !== "check:package"),
);

/** Whether a script succeeds. */
function succeeds(name) {
  const options = { cwd, shell: process.platform === "win32", maxBuffer: Number.POSITIVE_INFINITY };
  return new Promise((resolve) => {
    execFile("npm", ["run", "--silent", name], options, (error, stdout, stderr) => {
      console.log(error ? `FAILED  ${name}\n${stdout}${stderr}` : `ok      ${name}`);
      resolve(!error);
    });
  });
}

const outcomes = await Promise.all(names.map(succeeds));
const failed = names.filter((_, index) => !outcomes[index]);
if (failed.length > 0) {
  console.error(`Failed: ${failed.join(", ")}`);
  process.exitCode = 1;
}
