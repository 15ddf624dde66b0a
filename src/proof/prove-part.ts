import { createHash } from "node:crypto";

import { FAULTS } from "../reference/index.ts";
import { casesToRun, type Plain, type SomeCases } from "./cases-to-run.ts";
import type { RunCase } from "./clean-run.ts";
import { complaint, type Proof, prove, type ReceiverBuild } from "./prove.ts";

/** Of the cases that need not run, one in this many runs all the same: of those that were judged again, and of the others. */
const ONE_IN = { judgedAgain: 20, others: 100 };
/** From this many cases on, a whole run costs about the same. */
const MOST_CASES = 1200;
/**
 * Proves a fault or variant by the cases that must run, see `casesToRun`, and a sample of the others. Those must come out as in the
 * clean run; every other case is taken to come out so. Where the proof does not hold, or a case of the sample comes out otherwise, all
 * cases of its rule run as well, and then all cases.
 * @param draw what the sample depends on
 */
export async function provePart(
  subject: ReceiverBuild,
  plain: Plain,
  draw: string,
): Promise<Proof> {
  const needed = await casesToRun(subject, plain);
  if (needed === "all") return prove(subject);
  const { cases, toRun, judgedAgain } = needed;
  const isDrawn = ({ id }: RunCase): boolean =>
    !toRun.has(id) &&
    draws(
      `${draw} ${subject.name} ${id}`,
      judgedAgain.has(id) ? ONE_IN.judgedAgain : ONE_IN.others,
    );
  const sample = idsOf(cases.filter(isDrawn));
  const rule = FAULTS.find(({ name }) => name === subject.name)?.rule;
  const ofRule = idsOf(cases.filter((one) => one.rule === rule));
  const outcomes = new Map(cases.map(({ id, outcome }) => [id, outcome]));
  for (const { ids, isOfRule } of runsOf(subject, needed, sample, ofRule)) {
    const proof = await prove(subject, [], undefined, [...ids]);
    const strayed = proof.seen.filter(
      (one) => !toRun.has(one.id) && outcomes.get(one.id) !== one.outcome,
    );
    // Of its own rule a fault may change more than can be computed. Then all of that runs.
    const isAsTaken = strayed.every((one) => isOfRule && one.rule === rule);
    if (isAsTaken && complaint(proof) === undefined) return proof;
  }
  return prove(subject);
}

/** The cases of the runs that may prove a subject before a whole run does, the fewest first, and whether all of its rule are in them. */
function runsOf(
  subject: ReceiverBuild,
  { toRun }: SomeCases,
  sample: readonly string[],
  ofRule: readonly string[],
): { readonly ids: ReadonlySet<string>; readonly isOfRule: boolean }[] {
  const only = [...toRun, ...sample];
  // Without a case of its own rule nothing can be seen of a fault.
  const isSeen = subject.kind !== "fault" || ofRule.some((id) => toRun.has(id));
  return [
    ...(isSeen ? [{ ids: new Set(only), isOfRule: false }] : []),
    { ids: new Set([...only, ...ofRule]), isOfRule: true },
  ].filter(({ ids }) => ids.size > 0 && ids.size <= MOST_CASES);
}

function idsOf(cases: readonly Pick<RunCase, "id">[]): string[] {
  return cases.map(({ id }) => id);
}

/** Whether a text is drawn, with a chance of one in so many. */
function draws(text: string, oneIn: number): boolean {
  return createHash("sha256").update(text).digest().readUInt32BE() % oneIn === 0;
}
