import type { WriteRoom } from "../probe/write/writes.ts";
import type { PlannedCase } from "./plan.ts";

/** The cases of one rule that have not begun, and whether others have. */
interface Queue {
  readonly left: PlannedCase[];
  begun: boolean;
}

const ONE_BY_ONE: WriteRoom = { inAll: 1, ofRule: () => 1 };

/**
 * Cases that write to one endpoint, so many side by side that each would be sent whatever became of the others. So which
 * of them a run may still send follows from the plan and from the answers, and from no time. The first case of each rule,
 * its plainest, goes before all others, because no rule is to lack a write for those; then come the rules of which the
 * most are left, so that no rule has to go on alone at the end.
 * @param roomNow how many may be let in, asked before each stage; one where it is not known
 */
export function* writingStages(
  lane: readonly PlannedCase[],
  roomNow: () => WriteRoom | undefined,
): Generator<readonly PlannedCase[]> {
  const queues = new Map<string, Queue>();
  for (const planned of lane) {
    const queue = queues.get(planned.rule.id);
    if (queue) queue.left.push(planned);
    else queues.set(planned.rule.id, { left: [planned], begun: false });
  }
  for (let left = lane.length; left > 0;) {
    const stage = nextStage([...queues.values()], roomNow() ?? ONE_BY_ONE);
    left -= stage.length;
    yield stage;
  }
}

/** Takes cases from the queues as long as there is room, and one at least. */
function nextStage(queues: readonly Queue[], room: WriteRoom): PlannedCase[] {
  const stage: PlannedCase[] = [];
  const sent = new Map<string, number>();
  let sentInAll = 0;
  // What sends twice goes alone: whether there is room for its second write must not depend on when others are answered.
  const fits = ({ rule: { id }, testCase: { sends = 1 } }: PlannedCase): boolean =>
    sends === 1 &&
    sentInAll === stage.length &&
    sentInAll < room.inAll &&
    (sent.get(id) ?? 0) < room.ofRule(id);
  for (;;) {
    const open = queues.filter(
      ({ left: [next] }) => next !== undefined && (stage.length === 0 || fits(next)),
    );
    const queue = open.find(({ begun }) => !begun) ?? longest(open);
    const planned = queue?.left.shift();
    if (!queue || !planned) return stage;
    const { rule, testCase } = planned;
    queue.begun = true;
    stage.push(planned);
    sent.set(rule.id, (sent.get(rule.id) ?? 0) + (testCase.sends ?? 1));
    sentInAll += testCase.sends ?? 1;
  }
}

function longest(queues: readonly Queue[]): Queue | undefined {
  return queues.toSorted((one, other) => other.left.length - one.left.length)[0];
}
