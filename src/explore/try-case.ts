import PQueue from "p-queue";

import { type BatchContext, inOrder, runBatch } from "../engine/batch.ts";
import type { ToExplore } from "../engine/exploration.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Ran } from "../engine/ran.ts";
import type { NamedCase } from "../engine/select-cases.ts";

/**
 * Runs an explored case as any case: with its controls, confirmed, its controls sent again. It is settled only if it shows a violation, or
 * what the contract leaves open.
 * @returns whether it does
 */
export async function tryCase(
  { context }: Pick<ToExplore, "context">,
  named: NamedCase,
): Promise<boolean> {
  const { rule, testCase } = named;
  const planned: PlannedCase = {
    ...named,
    level: testCase.level ?? rule.level,
    phase: "quiet",
    open: [],
  };
  let found: Ran | undefined;
  const unheard: BatchContext = {
    ...context,
    emit() {},
    settle(ran) {
      found = ran;
    },
  };
  const alone = inOrder(new PQueue({ concurrency: 1 }));
  await runBatch(testCase.id, [{ cases: [planned] }], unheard, alone);
  if (found?.finding.kind !== "fail" && found?.finding.kind !== "observed") return false;
  context.settle(found);
  return true;
}
