import { z } from "zod";

import type { Verdict } from "../engine/events.ts";
import { naming, SuiteError } from "../lib/errors.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import { strictJson } from "../lib/strict-json.ts";
import { firstIssue } from "../lib/zod-issue.ts";
import { printable, printableAll } from "../report/untrusted.ts";

/** The file that `fleet` and `merge` write into their folder. */
export const FLEET_FILE = "fleet.json";

/** The verdict on a pack, beside that on the contract. */
export interface PackResult {
  readonly id: string;
  readonly version: string;
  readonly title: string;
  readonly verdict: Verdict;
}

/** The result of one run. A run with neither verdict nor error did not run, or did not finish. */
export interface FleetRun {
  readonly name: string;
  readonly verdict?: Verdict | undefined;
  readonly packs?: readonly PackResult[] | undefined;
  readonly error?: string | undefined;
  readonly report?: string | undefined;
  readonly replacedBy?: string | undefined;
}

export interface ShardNote {
  readonly number: number;
  readonly of: number;
  readonly others: readonly string[];
}

/** The content of `fleet.json`; `fleetSchema` says what its members mean. */
export interface Fleet {
  readonly runs: readonly FleetRun[];
  readonly shard?: ShardNote | undefined;
}

const LONGEST_NAME = 200;
/** A relative path that stays below its folder on every system. */
const NAME = /^(?!\.{1,2}(?:\/|$))[^/\\:]+(?:\/(?!\.{1,2}(?:\/|$))[^/\\:]+)*$/;

/** Whether a name can be that of a run. It becomes a folder below the folder of the results. */
export function isRunName(name: string): boolean {
  return name.length <= LONGEST_NAME && NAME.test(name) && printable(name) === name;
}

const runName = z
  .string()
  .max(LONGEST_NAME)
  .regex(NAME)
  .describe(
    "The path of the profile below the folder that the pattern begins with, without extension.",
  );

const verdict = z.enum(["conformant", "non-conformant", "incomplete", "partial"]);

/** The definition of `fleet.json`; `fixtures/fleet.schema.json` is generated from it. */
const fleetSchema: z.ZodType<Fleet> = z.strictObject({
  runs: z
    .array(
      z.strictObject({
        name: runName,
        verdict: verdict.optional().describe("That of its report, on the contract."),
        packs: z
          .array(
            z.strictObject({ id: z.string(), version: z.string(), title: z.string(), verdict }),
          )
          .optional()
          .describe("The verdicts on the packs of its report, which change nothing of the other."),
        error: z.string().optional().describe("Why there is no verdict."),
        report: z
          .string()
          .min(1)
          .optional()
          .describe("Path of its report.json, relative to the folder of this file."),
        replacedBy: runName
          .optional()
          .describe(
            "The name of a newer run of the same deployment, of whose history this one is.",
          ),
      }),
    )
    .describe("Sorted by name. A run with neither verdict nor error did not finish."),
  shard: z
    .strictObject({
      number: z.int().min(1).describe("From 1."),
      of: z.int().min(1),
      others: z.array(runName).describe("The names of the runs of all other shards."),
    })
    .optional()
    .describe("Which part of a fleet this is; absent for a whole fleet."),
});

/** The JSON Schema (2020-12) of `fleet.json`. */
export function fleetJsonSchema(): Record<string, unknown> {
  return {
    $id: "urn:orgsync-conformance:fleet:1.1",
    title: "Results of a fleet of conformance runs",
    description:
      "The content of fleet.json. Later versions may add members, but do not rename or redefine any.",
    ...z.toJSONSchema(fleetSchema),
  };
}

/** The text of `fleet.json`: runs by name, members in a fixed order, nothing that varies. */
export function fleetJson({ runs, shard }: Fleet): string {
  const inOrder = runs
    .toSorted((a, b) => byText(a.name, b.name))
    .map(({ name, verdict: found, packs, error, report, replacedBy }) => ({
      name,
      verdict: found,
      packs,
      error,
      report,
      replacedBy,
    }));
  return `${JSON.stringify({ runs: inOrder, shard }, null, 1)}\n`;
}

/** Compares by code units, which gives the same order on every machine. */
export function byText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** Room for the names of many thousands of runs. */
const MOST_BYTES = 64 * 1024 * 1024;

/**
 * Reads a `fleet.json`.
 * @throws SuiteError when it cannot be read or is not a `fleet.json`
 */
export function readFleet(file: string, shown: string): Fleet {
  const hint = "Name the fleet.json that `orgsync-conformance fleet` or `merge` wrote.";
  const unusable = (why: string): SuiteError =>
    new SuiteError("ERR_REPORT", `${shown} is not a fleet.json: ${why}`, { hint });
  const read = (): unknown => strictJson(readRegularFile(file, MOST_BYTES).toString("utf8"));
  const json = naming(shown, "ERR_REPORT", read, hint);
  const { success, data, error } = fleetSchema.safeParse(json);
  if (!success) {
    throw unusable(firstIssue(error.issues, json));
  }
  const unfit = data.runs.find(({ name }) => !isRunName(name));
  if (unfit) throw unusable(`${printable(unfit.name)} is not a valid name of a run`);
  return { ...data, runs: printableAll(data.runs, 4000) };
}
