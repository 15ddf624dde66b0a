import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { parse } from "yaml";

import { packageRoot } from "../../src/lib/package-root.ts";
import { folderWith } from "../support/folder.ts";
import { packageText } from "../support/package-text.ts";

/** A step as far as these tests look at it. */
export interface Step {
  readonly uses?: string;
  readonly run?: string;
  readonly if?: string;
  readonly env?: Record<string, string>;
  readonly with?: Record<string, unknown>;
}

/** `action.yml`, likewise. */
interface Action {
  readonly inputs: Record<string, { default?: string }>;
  readonly runs: { readonly steps: readonly Step[] };
}

export const ACTION: Action = parse(packageText("action.yml")) as Action;

/** Runs the last step of the action as GitHub would, with a command that only says how it was called. */
export function lastStep(
  inputs: Record<string, string>,
  exit = 0,
): { status: number | null; args: string[]; outputs: string; stderr: string } {
  const folder = folderWith({ "args.json": "[]", outputs: "" });
  const built = join(folder, "action", "bin");
  mkdirSync(built, { recursive: true });
  cpSync(join(packageRoot, "scripts"), join(folder, "action", "scripts"), { recursive: true });
  writeFileSync(
    join(built, "orgsync-conformance.js"),
    `const fs = require("node:fs");
    fs.writeFileSync("args.json", JSON.stringify(process.argv.slice(2)));
    fs.mkdirSync("reports", { recursive: true });
    if (${exit} !== 2) fs.writeFileSync("reports/report.json", '{"verdict":"non-conformant"}');
    process.exitCode = ${exit};`,
  );
  const { run = "", env = {} } = ACTION.runs.steps.at(-1) ?? {};
  const given = Object.entries(env).map(([variable, expression]) => {
    const input = /^\$\{\{ inputs\.([\w-]+) \}\}$/.exec(expression)?.[1] ?? "";
    return [variable, inputs[input] ?? ACTION.inputs[input]?.default ?? ""];
  });
  const { status, stderr } = spawnSync("bash", ["--noprofile", "--norc", "-e", "-c", run], {
    cwd: folder,
    encoding: "utf8",
    env: {
      PATH: process.env["PATH"],
      GITHUB_ACTION_PATH: join(folder, "action"),
      GITHUB_OUTPUT: join(folder, "outputs"),
      ...Object.fromEntries(given),
    },
  });
  return {
    status,
    stderr,
    args: JSON.parse(readFileSync(join(folder, "args.json"), "utf8")) as string[],
    outputs: readFileSync(join(folder, "outputs"), "utf8").replaceAll(folder, ""),
  };
}
