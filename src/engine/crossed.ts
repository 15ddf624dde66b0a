import { numbered, SECOND_TRIES, tryAgain } from "../http/second-tries.ts";
import { groupBy } from "../lib/group-by.ts";
import { Finding } from "../probe/finding.ts";
import { phrase } from "../probe/phrase.ts";
import { mayWrite, sideOf } from "../probe/rule.ts";
import { apart, type BatchContext, runBatch } from "./batch.ts";
import type { PlannedCase } from "./plan.ts";
import type { Ran } from "./ran.ts";

/**
 * Where a rule has seen that requests get one another's answers, tries the violations of all other rules again, one request at a
 * time, each on a connection of its own. What does not show then is no violation of those rules, and that rule takes the blame.
 * @param ran the cases that have ended, each once
 */
export async function blameCrossing(ran: readonly Ran[], context: BatchContext): Promise<void> {
  const violations = ran.filter(({ finding }) => finding.kind === "fail");
  const culprit = violations.find(({ planned }) => planned.rule.crossing)?.planned.rule.id;
  if (culprit === undefined) return;
  const suspects = violations.flatMap(({ planned }) => (canBeTried(planned) ? [planned] : []));
  /** Not seen then. */
  const gone: PlannedCase[] = [];
  /** Not decided, such as a write that may not be sent again, where no violation of the rule was seen. */
  const open: PlannedCase[] = [];
  for (const ofRule of groupBy(suspects, ({ rule }) => rule.id).values()) {
    const undecided: PlannedCase[] = [];
    let isShown = false;
    for (const group of groupBy(ofRule, ({ testCase }) => testCase.operation).values()) {
      const kinds = await kindsApart(group, context);
      if ([...kinds.values()].includes("fail")) {
        isShown = true;
        continue;
      }
      for (const planned of group) {
        const kind = kinds.get(planned) ?? "inconclusive";
        (kind === "inconclusive" ? undecided : gone).push(planned);
      }
    }
    if (!isShown) open.push(...undecided);
  }
  for (const planned of gone.length > 0 ? [...gone, ...open] : []) {
    const finding = Finding.undecided(
      "beside-others",
      phrase`it showed only beside other requests, and not in requests sent one at a time, each on a connection of its own: ${culprit} failed`,
    );
    context.settle({ planned, finding, blamedOn: culprit });
  }
}

function canBeTried({ rule, level, phase }: PlannedCase): boolean {
  // Cases of the phase `record` judge by answers that are there already.
  return sideOf(rule) === "receiver" && !rule.crossing && level !== "OBSERVE" && phase !== "record";
}

/** What the cases of a rule on one operation show alone, until one of them shows a violation. */
async function kindsApart(
  group: readonly PlannedCase[],
  context: BatchContext,
): Promise<ReadonlyMap<PlannedCase, Finding["kind"] | undefined>> {
  // Accepted writes are limited, and each try of a write sends its control again.
  const tried = group.some(({ testCase }) => mayWrite(testCase)) ? group.slice(0, 1) : group;
  const kinds = new Map<PlannedCase, Finding["kind"] | undefined>();
  for (const planned of tried) {
    const kind = await tryAgain<Finding["kind"] | undefined>(
      SECOND_TRIES.crossed,
      undefined,
      (found) => found !== "fail",
      async (_last, further) => (await tryApart(planned, context, further))?.kind,
      context.wait,
    );
    kinds.set(planned, kind);
    if (kind === "fail") break;
  }
  return kinds;
}

/** @returns `undefined` if a control could not be sent again */
async function tryApart(
  planned: PlannedCase,
  context: BatchContext,
  further: number,
): Promise<Finding | undefined> {
  let found: Finding | undefined;
  const unheard: BatchContext = {
    ...context,
    emit() {},
    settle({ finding }) {
      found = finding;
    },
  };
  const name = `apart-${planned.rule.id}-${planned.testCase.operation ?? ""}`;
  await runBatch(numbered(name, further), [{ cases: [planned] }], unheard, apart);
  return found;
}
