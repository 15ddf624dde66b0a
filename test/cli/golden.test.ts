import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, test } from "vitest";

import { type ReferenceOptions, startReference } from "../../src/reference/index.ts";
import type { Report } from "../../src/report/report.ts";
import { summary } from "../../src/report/terminal.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { command, createIo, ioWith } from "./io.ts";

/** What a run has printed and written. */
interface Printed {
  readonly code: number;
  readonly out: string;
  readonly err: string;
  /** The text of a file in the folder of the reports. */
  readonly file: (name: string) => string;
}

interface Run {
  readonly faults?: ReferenceOptions["faults"];
  readonly argv?: readonly string[];
  readonly change?: (profile: Record<string, unknown>) => object;
}

/** Runs whose output several tests look at. */
const RUNS = {
  conformant: {},
  "one-fault-verbose": {
    faults: ["expiry-unchecked"],
    argv: ["--verbose", "--rule", "receiver.{issuer,expiry}"],
  },
  "nobody-let-in": { faults: ["rejects-everything"] },
  incomplete: {
    change: (profile) => ({ ...profile, denied: undefined }),
    argv: ["--rule", "receiver.local-policy*", "--rule", "receiver.audience"],
  },
  "several-faults": {
    faults: [
      "issuer-unchecked",
      "scope-unchecked",
      "expiry-unchecked",
      "audience-by-prefix",
      "binding-unchecked",
    ],
    argv: ["--rule", "receiver.{issuer,audience,expiry,scope,binding}"],
  },
} as const satisfies Record<string, Run>;

const outputs = new Map<keyof typeof RUNS, Promise<Printed>>();

/** The output of a run, which is made once. */
async function outputOf(name: keyof typeof RUNS | "one-fault"): Promise<Printed> {
  if (name === "one-fault") return oneFault();
  const known = outputs.get(name) ?? print(RUNS[name]);
  outputs.set(name, known);
  return known;
}

async function print({ faults = [], argv = [], change = (same) => same }: Run): Promise<Printed> {
  const reference = await startReference({ jwks: BUNDLED_JWKS, faults });
  try {
    const io = ioWith(change(reference.profile));
    const args = ["run", "--seed", "1", "--report", "html", ...argv];
    const { code, out, err } = await command(args, io);
    return { code, out, err, file: (name) => readFileSync(join(io.cwd, "reports", name), "utf8") };
  } finally {
    await reference.close();
  }
}

/** What the run with one fault would print without `--verbose`. */
async function oneFault(): Promise<Printed> {
  const run = await outputOf("one-fault-verbose");
  const report = JSON.parse(run.file("report.json")) as Report;
  const reportFiles = ["reports/report.json"];
  return { ...run, out: summary(report, { columns: 100, color: false, reportFiles }) };
}

/** Numbers of cases and requests, which change with the rules. */
const COUNTS =
  /\b\d+(?=( [A-Z]+)? (cases?|observations?|requests|accepted writes|more|pass|fail|warn|observed|inconclusive|not-applicable|not-provisioned|of \d+)\b)|(?<=\bof )\d+(?= MUST)|(?<=\()\d+(?=\))/g;

/** The output of a run, without ports, times, generated values and counts. */
function steady({ code, out }: Printed): string {
  const text = out
    .replace(/^Observed, never judged\n[^]*?(?=^Rules\n)/m, "")
    .replaceAll(COUNTS, "N")
    .replaceAll(/127\.0\.0\.1:\d+/g, "127.0.0.1:PORT")
    .replaceAll(/\b\d+(\.\d+)? m?s\b/g, "TIME")
    // On a slow machine, other requests are always in progress while a case waits.
    .replaceAll(" (TIME of it only waiting)", "")
    .replaceAll(/\b1\d{9}\b/g, "SECONDS")
    .replaceAll(/\b\d{4}-\d\d-\d\dT[\d:.]+Z/g, "DATE")
    .replaceAll(/conformance-[\w-]+/g, "UNIQUE");
  return `${text}\nexit code ${code}\n`;
}

test.each([
  "conformant",
  "one-fault",
  "one-fault-verbose",
  "several-faults",
  "nobody-let-in",
  "incomplete",
] as const)("the output of a run that is %s is unchanged", async (name) => {
  const printed = await outputOf(name);
  await expect(steady(printed)).toMatchFileSnapshot(`__snapshots__/${name}.txt`);
  expect(printed.out + printed.err + printed.file("report.json")).not.toContain("eyJ");
});

test.each([
  [25, "conformant"],
  [60, "one-fault"],
  [130, "several-faults"],
] as const)("a run prints at most %i lines and writes a small page: %s", async (most, name) => {
  const { out, err, file } = await outputOf(name);
  // A slow machine prints more lines of progress.
  const printed = (err + out).replaceAll(/^\d+ of \d+ cases, .*\n/gm, "");
  expect(printed.split("\n").length).toBeLessThanOrEqual(most);
  expect(out.split("\n").filter(({ length }) => length > createIo().stdout.columns)).toEqual([]);
  const page = file("report.html");
  expect(Buffer.byteLength(page)).toBeLessThan(1_200_000);
  if (name !== "conformant") return;
  expect(Buffer.byteLength(page)).toBeLessThan(1_100_000);
  expect(page.match(/<[a-z]/g)?.length).toBeLessThan(5000);
});
