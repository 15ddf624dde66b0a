import type { WriteRoom } from "../probe/write/writes.ts";
import type { PlannedCase } from "./plan.ts";

const ONE_BY_ONE: WriteRoom = { inAll: 1, ofRule: () => 1 };

/**
 * Cases that write to one endpoint, so many side by side that each would be sent whatever became of the others. So which
 * of them a run may still send follows from the plan and from the answers, and from no time. The first case of each rule,
 * its plainest, goes before all others, because no rule is to lack a write for those; then come the rules of which the
 * most are left.
 * @param roomNow how many may be let in, asked before each stage; one where it is not known
 */
export function* writingStages(
  lane: readonly PlannedCase[],
  roomNow: () => WriteRoom | undefined,
): Generator<readonly PlannedCase[]> {
  const queues = new Map<string, PlannedCase[]>();
  for (const planned of lane) {
    const queue = queues.get(planned.rule.id);
    if (queue) queue.push(planned);
    else queues.set(planned.rule.id, [planned]);
  }
  const begun = new Set<string>();
  for (let left = lane.length; left > 0;) {
    const stage = nextStage(inRank(queues, begun), roomNow() ?? ONE_BY_ONE);
    for (const { rule } of stage) begun.add(rule.id);
    left -= stage.length;
    yield stage;
  }
}

/** Those of which none has begun, in the order of the registry, and then the longest first. */
function inRank(
  queues: ReadonlyMap<string, PlannedCase[]>,
  begun: ReadonlySet<string>,
): PlannedCase[][] {
  const all = [...queues];
  const longestFirst = all.toSorted(([, one], [, other]) => other.length - one.length);
  return [
    ...all.filter(([rule]) => !begun.has(rule)),
    ...longestFirst.filter(([rule]) => begun.has(rule)),
  ].map(([, queue]) => queue);
}

/** Takes one case after the other from each queue in turn, as long as there is room; at least one. */
function nextStage(ranked: readonly PlannedCase[][], room: WriteRoom): PlannedCase[] {
  const stage: PlannedCase[] = [];
  const sent = new Map<string, number>();
  let sentInAll = 0;
  let before: number;
  do {
    before = stage.length;
    for (const queue of ranked) {
      const [planned] = queue;
      if (!planned) continue;
      const { id } = planned.rule;
      const { sends = 1 } = planned.testCase;
      const ofRule = (sent.get(id) ?? 0) + sends;
      const fits = sentInAll + sends <= room.inAll && ofRule <= room.ofRule(id);
      if (!fits && stage.length > 0) continue;
      queue.shift();
      stage.push(planned);
      sent.set(id, ofRule);
      sentInAll += sends;
    }
  } while (stage.length > before);
  return stage;
}
