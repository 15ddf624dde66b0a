import type { WriteRoom } from "../probe/write/writes.ts";
import type { PlannedCase } from "./plan.ts";

/** The cases of one rule that have not begun, and whether others have. */
interface Queue {
  readonly left: PlannedCase[];
  begun: boolean;
}

const ONE_BY_ONE: WriteRoom = { inAll: 1, ofRule: () => 1 };

/**
 * Puts cases that write to one endpoint into stages. The cases of a stage are sent side by side, and there are only so many
 * of them that each would be sent even if all others were accepted. So which cases a run sends depends on the plan and on
 * the answers, never on timing. A case that is not declared to go `beside` others is a stage of its own.
 *
 * The first case of each rule, its plainest, comes before all others, because no rule should lack a write for those. Then
 * come the rules with the most cases left, so that no rule is left to go on alone at the end.
 * @param roomNow how many writes may be accepted, asked before each stage; one where it is not known
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

/** Takes cases from the queues while there is room for them; one at least. */
function nextStage(queues: readonly Queue[], room: WriteRoom): PlannedCase[] {
  const stage: PlannedCase[] = [];
  const sent = new Map<string, number>();
  const fits = (planned: PlannedCase): boolean =>
    stage.every(goesBeside) &&
    goesBeside(planned) &&
    stage.length < room.inAll &&
    (sent.get(planned.rule.id) ?? 0) < room.ofRule(planned.rule.id);
  for (;;) {
    const open = queues.filter(
      ({ left: [next] }) => next !== undefined && (stage.length === 0 || fits(next)),
    );
    const queue = open.find(({ begun }) => !begun) ?? longest(open);
    const planned = queue?.left.shift();
    if (!queue || !planned) return stage;
    queue.begun = true;
    stage.push(planned);
    sent.set(planned.rule.id, (sent.get(planned.rule.id) ?? 0) + 1);
  }
}

/** What is only observed may well be accepted, and so would be in the way of others. */
function goesBeside({ level, testCase: { beside, sends = 1 } }: PlannedCase): boolean {
  return beside !== undefined && level !== "OBSERVE" && sends === 1;
}

function longest(queues: readonly Queue[]): Queue | undefined {
  return queues.toSorted((one, other) => other.left.length - one.left.length)[0];
}
