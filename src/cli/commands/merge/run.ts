import { join, resolve } from "node:path";

import { countLines, type Deployment, exitCodeOfAll } from "../../../fleet/deployment.ts";
import { FLEET_FILE } from "../../../fleet/fleet-file.ts";
import { type Change, type Changes, current } from "../../../fleet/history.ts";
import { mergeRuns, PAGE_FILE, findRuns } from "../../../fleet/merge.ts";
import { counted } from "../../../lib/words.ts";
import { createPage, table } from "../../../report/layout.ts";
import { printable } from "../../../report/untrusted.ts";
import { gateOf } from "../../gate.ts";
import { type CommandIo, wantsColor } from "../../io.ts";
import { checkFolder } from "../../report-files.ts";
import type { MergeFlags } from "./flags.ts";

/** Changes named on the terminal; the page lists all of them. */
const MOST_SHOWN = 20;

/**
 * Implements `merge`: finds the runs, writes the combined result, and prints it.
 * @throws SuiteError when an argument is not a result, or a file cannot be written
 */
export async function mergeCommand(
  sources: readonly string[],
  flags: MergeFlags,
  io: CommandIo,
): Promise<number> {
  const { cwd, stdout } = io;
  const folder = resolve(cwd, flags.out);
  checkFolder(folder, flags.out);
  const runs = findRuns(sources, cwd);
  const since = flags.since === undefined ? undefined : findRuns([flags.since], cwd);
  const { deployments, changes } = await mergeRuns(runs, folder, since, flags.reportMode);
  const now = current(deployments);
  const older = deployments.length - now.length;
  const lines = [
    ...countLines(now.map(({ run }) => run)),
    ...(older > 0
      ? [`${counted(older, "older report")} of the same deployments, as their history`]
      : []),
    ...(changes ? changeLines(changes, io) : []),
    `Results: ${join(flags.out, FLEET_FILE)}, ${join(flags.out, PAGE_FILE)}`,
  ];
  stdout.write(`${lines.join("\n")}\n`);
  return passGate(deployments, flags, io);
}

/** The exit code. Says so when `--require` made it another one than the runs and their baselines would have given. */
function passGate(deployments: readonly Deployment[], flags: MergeFlags, io: CommandIo): number {
  if (!flags.gate && !flags.require && !flags.failOn) return 0;
  const gate = gateOf(flags);
  const code = exitCodeOfAll(deployments, gate);
  const otherwise = exitCodeOfAll(deployments, { ...gate, requireConformant: false });
  if (code !== otherwise) {
    io.stderr.write(
      `The exit code is ${code} by --require conformant, which goes by the verdicts alone, and would be ${otherwise} without it.\n`,
    );
  }
  return code;
}

function changeLines({ changed, same, suites }: Changes, { stdout, env }: CommandIo): string[] {
  const page = createPage(stdout.columns, wantsColor(stdout, env));
  const shown = changed.slice(0, MOST_SHOWN);
  const more = changed.length - shown.length;
  return [
    `Since then: ${changed.length} changed, ${same} unchanged.`,
    ...(suites
      ? [
          `The suite changed: ${suites.before.join("; ") || "none"} then, ${suites.after.join("; ") || "none"} now.`,
        ]
      : []),
    ...table(
      page,
      2,
      shown.map((change) => [printable(change.name), changeText(change)]),
    ),
    ...(more > 0 ? [`  and ${more} more`] : []),
  ];
}

function changeText({ before, after, packs = [], rules }: Change): string {
  const result =
    before === undefined
      ? `new: ${after}`
      : after === undefined
        ? "gone"
        : before === after
          ? after
          : `${before}, now ${after}`;
  return [
    result,
    ...packs.map((pack) => printable(`${pack.title}: ${pack.before}, now ${pack.after}`)),
    ...(rules.length > 0 ? [`${counted(rules.length, "rule")} with another outcome`] : []),
  ].join("; ");
}
