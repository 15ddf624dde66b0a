import { type Command, InvalidArgumentError } from "commander";

import { REPORTERS } from "../report/index.ts";
import type { CommandIo } from "./io.ts";
import { repeatable, wholeNumber } from "./options.ts";

/** The options of `run`. */
export interface RunFlags {
  readonly profile?: string;
  readonly out: string;
  readonly rule?: readonly string[];
  readonly seed?: number;
  readonly concurrency: number;
  readonly readOnly?: boolean;
  readonly acceptIncomplete?: boolean;
  readonly allowBundledKeys?: boolean;
  readonly dryRun?: boolean;
  readonly report?: readonly string[];
}

const LARGEST_SEED = 2 ** 32 - 1;

/** Adds `run`, which certifies one deployment, to the program. */
export function addRun(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("run")
    .description(
      "Certify a deployment; without base URL and profile, the embedded reference receiver.",
    )
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .option(
      "-p, --profile <file>",
      "what is known of the deployment, YAML or JSON (default: orgsync.yaml where there is one)",
    )
    .option("-o, --out <dir>", "where reports go; report.json is always written", "reports")
    .option(
      "--rule <pattern>",
      "only these rules or cases, a glob over the id; repeatable",
      repeatable,
    )
    .option(
      "--seed <n>",
      "seed of every generated input (default: drawn, printed, stored in the report)",
      wholeNumber(0, LARGEST_SEED),
    )
    .option("--concurrency <n>", "requests in flight at once", wholeNumber(1, 256), 8)
    .option(
      "--read-only",
      "send no PATCH and no POST at all; wins over the profile's `writes: true`",
    )
    .option("--accept-incomplete", "exit 0 where it would be 3; the verdict stays incomplete")
    .option(
      "--allow-bundled-keys",
      "use the bundled keys, which are public, against a host that is not loopback",
    )
    .option("--dry-run", "print the plan: cases, requests, writes; send nothing")
    .option("--report <format>", "write a further format; repeatable", reportFormat)
    .addHelpText(
      "after",
      `
Exits 0 when conformant, 1 when not, 2 when it could not run, 3 when a MUST could not be judged,
130 when interrupted.

Examples:
  orgsync-conformance run --profile orgsync.yaml
  orgsync-conformance run https://sync.example.com/common-grants --read-only
  orgsync-conformance run --rule 'receiver.*' --rule 'errors.shape/viewOrganization' --dry-run`,
    )
    .action(async (baseUrl: string | undefined, flags: RunFlags) => {
      const { certify, planOnly } = await import("./certify.ts");
      if (flags.dryRun) await planOnly(baseUrl, flags, io);
      else settle(await certify(baseUrl, flags, io));
    });
}

function reportFormat(value: string, previous: readonly string[] = []): string[] {
  if (REPORTERS.has(value)) return [...previous, value];
  const known = [...REPORTERS.keys()].join(", ");
  throw new InvalidArgumentError(
    known === ""
      ? "There is no further format yet; report.json is always written."
      : `The formats are ${known}; report.json is always written.`,
  );
}
