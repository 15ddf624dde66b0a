import { randomInt } from "node:crypto";

import { RULES } from "../../../../suites/index.ts";
import { planRun } from "../../../engine/plan.ts";
import { SuiteError } from "../../../lib/errors.ts";
import type { Report } from "../../../report/report.ts";
import { printable } from "../../../report/untrusted.ts";
import { listenForStop, type CommandIo } from "../../io.ts";
import { type RunTarget, withRunTarget } from "../../run-target.ts";
import { withProvokers } from "../run/failed.ts";
import { runOn } from "../run/run.ts";
import type { VerifyFlags } from "./flags.ts";
import { comparable, compareLive, type LiveComparison, sampleOf, sizeFor } from "./sample.ts";

const USUAL_SAMPLE = 40;
/** The number of wrong cases for which the chance to find one is said. */
const USUAL_WRONG = 5;
const SEEDS = 2 ** 32;

/**
 * Runs a sample of a report's cases against the deployment, and compares the outcomes with the report.
 * @throws SuiteError when the profile is of another deployment, or no case could be compared
 */
export async function askDeployment(
  report: Report,
  profile: string,
  baseUrl: string | undefined,
  flags: VerifyFlags,
  io: CommandIo,
): Promise<LiveComparison> {
  const { seed = randomInt(SEEDS), wrong = USUAL_WRONG, power } = flags;
  const { signal, stopListening } = listenForStop(io, "nothing was compared.");
  const work = async (chosen: RunTarget): Promise<LiveComparison> => {
    checkDeployment(report, chosen);
    const { cases } = planRun(chosen.target, RULES, []);
    const known = new Set(cases.filter(({ settled }) => !settled).map(({ caseId }) => caseId));
    const candidates = comparable(report, known);
    const of = candidates.length;
    const most = power === undefined ? (flags.sample ?? USUAL_SAMPLE) : sizeFor(power, of, wrong);
    const sample = sampleOf(candidates, most, seed);
    if (sample.length === 0)
      throw nothing("this profile allows none of the cases that the report has judged");
    io.stderr.write(`${sample.length} of ${of} cases are run again, drawn by --seed ${seed}.\n`);
    const names = withProvokers(report, sample).filter((name) => known.has(name));
    const only = { names, what: `a sample of ${sample.length} cases` };
    const live = await runOn(chosen, { only, seed, signal }, io);
    const comparison = compareLive(report, live, sample, { seed, of, wrong });
    if (comparison.compared === 0) throw nothing("no case of the sample could be judged");
    return comparison;
  };
  try {
    return await withRunTarget(baseUrl, { ...flags, profile }, io, work, { signal });
  } finally {
    stopListening();
  }
}

function checkDeployment(report: Report, { target }: RunTarget): void {
  const { baseUrl } = report.target;
  if (baseUrl === target.baseUrl) return;
  throw new SuiteError(
    "ERR_REPORT",
    `The report is of ${printable(baseUrl, 200)}, but --live is to ask ${target.baseUrl}`,
    { hint: "Name the profile of the deployment that the report is of." },
  );
}

function nothing(why: string): SuiteError {
  return new SuiteError("ERR_REPORT", `Nothing could be compared: ${why}`, {
    hint: "`orgsync-conformance doctor` says whether a run with this profile would come to a verdict.",
  });
}
