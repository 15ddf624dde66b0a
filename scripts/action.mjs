// Runs the command for action.yml. The action's inputs come as environment variables and become arguments.
import { spawnSync } from "node:child_process";
import { appendFileSync, existsSync, readFileSync, statSync } from "node:fs";
import { resolve } from "node:path";
import { fileURLToPath } from "node:url";

const command = fileURLToPath(new URL("../bin/orgsync-conformance.js", import.meta.url));
const COULD_NOT_RUN = 2;

const { env } = process;
const out = env.INPUT_OUT?.trim() || "reports";
const args = [
  "run",
  ...option("profile"),
  ...option("rule"),
  ...option("seed"),
  ...option("require"),
  ...option("fail-on"),
  ...option("baseline"),
  ...option("report"),
  ...option("report-mode"),
  `--out=${out}`,
  ...flag("read-only"),
  ...flag("accept-incomplete"),
  ...(env.INPUT_BASE_URL ? ["--", env.INPUT_BASE_URL] : []),
];
const beganMs = Date.now();
const { status, error } = spawnSync(process.execPath, [command, ...args], { stdio: "inherit" });
if (error) throw error;
tellOutputs();
process.exitCode = status ?? COULD_NOT_RUN;

/** One option for each line of the input; none for an empty input. */
function option(name) {
  const lines = (env[variable(name)] ?? "").split(/\r?\n/).map((line) => line.trim());
  return lines.filter((line) => line !== "").map((line) => `--${name}=${line}`);
}

function flag(name) {
  const value = env[variable(name)] ?? "";
  if (value === "true") return [`--${name}`];
  if (value === "false" || value === "") return [];
  console.error(`${name} must be true or false, not ${JSON.stringify(value)}`);
  process.exit(COULD_NOT_RUN);
}

function variable(name) {
  return `INPUT_${name.toUpperCase().replaceAll("-", "_")}`;
}

function tellOutputs() {
  const report = resolve(out, "report.json");
  // If the run could not start, the report is of an earlier one.
  const ours =
    status !== COULD_NOT_RUN && existsSync(report) && statSync(report).mtimeMs >= beganMs;
  if (!ours || !env.GITHUB_OUTPUT) return;
  const { verdict } = JSON.parse(readFileSync(report, "utf8"));
  const outputs = `verdict=${verdict}\nreport=${report.replaceAll(/[\r\n]/g, "")}\n`;
  appendFileSync(env.GITHUB_OUTPUT, outputs);
}
