import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";

import type { Fleet } from "../../src/fleet/fleet-file.ts";
import type { Report } from "../../src/report/report.ts";

/** Writes files below a folder. A value that is not text is written as JSON. */
export function writeFiles(folder: string, files: Readonly<Record<string, unknown>>): void {
  for (const [name, content] of Object.entries(files)) {
    const file = join(folder, name);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, typeof content === "string" ? content : JSON.stringify(content));
  }
}

/** The `fleet.json` of a folder. */
export function fleetIn(...folder: string[]): Fleet {
  return JSON.parse(readFileSync(join(...folder, "fleet.json"), "utf8")) as Fleet;
}

/** The report of a run of a fleet. */
export function reportIn(folder: string, name: string): Report {
  const file = join(folder, "runs", name, "report.json");
  return JSON.parse(readFileSync(file, "utf8")) as Report;
}
