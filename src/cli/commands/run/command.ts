import { type Command, Option } from "commander";

import type { CommandIo } from "../../io.ts";
import {
  BUNDLED_KEYS,
  ENV,
  duration,
  fileMode,
  LARGEST_SEED,
  LONGEST_SECONDS,
  MOST_EXPLORED,
  severalValues,
  REPORT_FORMAT,
  REPORT_MODE,
  reportFormats,
  PROFILE,
  UNTRUSTED,
  wholeNumber,
} from "../../options.ts";
import { startEarly } from "./early-thread.ts";
import type { RunFlags } from "./flags.ts";

export function addRun(program: Command, io: CommandIo, settle: (code: number) => void): void {
  program
    .command("run")
    .description(
      "Certify a deployment; without base URL and profile, the embedded reference receiver.",
    )
    .argument("[base-url]", "the deployment's base URL; overrides the profile's")
    .optionsGroup("Select:")
    .option("-p, --profile <file>", PROFILE)
    .option(
      "--rule <pattern>",
      "only these rules or cases, a glob over the id; repeatable, or with commas",
      severalValues,
    )
    .option(
      "--pack <name or file>",
      "further requirements with a verdict of their own, such as commongrants, or the file of a pack of yours; repeatable (default: those of the profile)",
      severalValues,
    )
    .option(
      "--failed",
      "only the MUST cases that failed or were inconclusive in the last whole run in --out or since, and have not passed since, with its seed",
    )
    .option(
      "--seed <n>",
      "seed of every generated input (default: drawn, printed, stored in the report)",
      wholeNumber(0, LARGEST_SEED),
    )
    .optionsGroup("Explore:")
    .option(
      "--explore <time>",
      "after the plan, for so long, cases that no rule lists, drawn from the seed and judged by the model of the contract, such as 60s or 5m",
      duration,
    )
    .option(
      "--explore-requests <n>",
      "the same until so many requests are sent (default: 3000 where no time is given)",
      wholeNumber(1, MOST_EXPLORED),
    )
    .option("--explore-only", "explore in place of the plan; the verdict is partial at best")
    .optionsGroup("Gate:")
    .addOption(
      new Option(
        "--require <verdict>",
        "the exit code follows the verdict alone, whatever --baseline and --accept-incomplete say: 1 for non-conformant, 3 for partial and incomplete",
      ).choices(["conformant"]),
    )
    .addOption(
      new Option(
        "--fail-on <outcome>",
        "exit 1 where a SHOULD was violated; the verdict stays",
      ).choices(["warn"]),
    )
    .option("--accept-incomplete", "exit 0 where it would be 3; the verdict stays incomplete")
    .option(
      "--baseline <file>",
      "known failures: exit 0 if nothing else fails, 1 if one of them no longer fails",
    )
    .option(
      "--write-baseline [file]",
      "write the failures of this run to the baseline, or to known.yaml",
    )
    .option(
      "--bail",
      "end at the first proven violation of a MUST that no baseline lists; the other cases are inconclusive",
    )
    .optionsGroup("Reports:")
    .option("-o, --out <dir>", "where reports go; report.json is always written", "reports")
    .option("--report <format>", REPORT_FORMAT, reportFormats)
    .option("--report-mode <mode>", REPORT_MODE, fileMode)
    .option("--verbose", "also print the observations, the table of rules, and the requests")
    .optionsGroup("Safety:")
    .option("--dry-run", "print the plan: cases, requests, writes; send nothing")
    .option(
      "--read-only",
      "send no PATCH and no POST at all; wins over the profile's `writes: true`; the verdict is partial at best",
    )
    .option("--untrusted", UNTRUSTED)
    .option("--env <name>", ENV, severalValues)
    .option("--allow-bundled-keys", BUNDLED_KEYS)
    .optionsGroup("Speed:")
    .option(
      "--concurrency <n>",
      "requests in flight at once, exactly; with 1, receiver.isolation is inconclusive because no requests overlap (default: 16 at most, fewer where the deployment slows down or refuses)",
      wholeNumber(1, 256),
    )
    .option(
      "--timeout <seconds>",
      "limit for the whole run; cases that it does not reach are inconclusive",
      wholeNumber(1, LONGEST_SECONDS),
    )
    .optionsGroup("Help:")
    .helpOption("-h, --help", "show help")
    .addHelpText(
      "after",
      `
Exits 0 when conformant, or partial (no violation, but part of the contract was
left out on purpose), 1 when not conformant, 2 when it could not run, 3 when a
MUST could not be judged, 130 when interrupted.

Examples:
  orgsync-conformance run --profile orgsync.yaml
  orgsync-conformance run --pack commongrants
  orgsync-conformance run --failed
  orgsync-conformance run --bail
  orgsync-conformance run --explore 60s
  orgsync-conformance run --baseline known.yaml
  orgsync-conformance run https://sync.example.com/common-grants --read-only
  orgsync-conformance run --seed 1 --report junit,markdown
  orgsync-conformance run --require conformant --fail-on warn
  orgsync-conformance run --rule 'receiver.*,errors.shape' --dry-run`,
    )
    .action(async (baseUrl: string | undefined, flags: RunFlags) => {
      if (flags.dryRun) {
        const { planOnly } = await import("./dry-run.ts");
        await planOnly(baseUrl, flags, io);
        return;
      }
      const thread = startEarly(flags.profile, io.cwd);
      try {
        const { certify } = await import("./run.ts");
        settle(await certify(baseUrl, flags, io, thread));
      } finally {
        void thread?.terminate();
      }
    });
}
