import type { WriteRoom } from "../probe/write/writes.ts";
import type { PlannedCase } from "./plan.ts";

/** The cases of one rule that have not begun. */
interface Queue {
  /** Whether its first case has begun. */
  begun: boolean;
  /** Those that go beside others come first. */
  readonly left: PlannedCase[];
}

const ONE_BY_ONE: WriteRoom = { inAll: 1, ofRule: 1 };

/**
 * Puts cases that write to one endpoint into stages. The cases of a stage are sent side by side, and a stage is so small
 * that each of them would be sent even if all others were accepted. So which cases a run sends depends on the plan and on
 * the answers, never on timing. A case that is not declared to go `beside` others is a stage of its own.
 *
 * The first case of each rule, its plainest, comes before all others, because no rule should lack a write for those. Then
 * come the rules with the most cases left, so that no rule is left to go on alone. Cases that go alone come last.
 * @param beginStage asked before each stage how many writes may be accepted; one where it is not known
 */
export function* writingStages(
  lane: readonly PlannedCase[],
  beginStage: () => WriteRoom | undefined,
): Generator<readonly PlannedCase[]> {
  const queues = queuesOf(lane);
  for (let left = lane.length; left > 0;) {
    const stage = nextStage(queues, beginStage() ?? ONE_BY_ONE);
    left -= stage.length;
    yield stage;
  }
}

function queuesOf(lane: readonly PlannedCase[]): Queue[] {
  const rules = new Map<string, PlannedCase[]>();
  for (const planned of lane) {
    const own = rules.get(planned.rule.id);
    if (own) own.push(planned);
    else rules.set(planned.rule.id, [planned]);
  }
  return [...rules.values()].map(([first, ...others]) => ({
    begun: false,
    left: [
      ...(first ? [first] : []),
      ...others.filter(goesBeside),
      ...others.filter((planned) => !goesBeside(planned)),
    ],
  }));
}

/** Takes cases from the queues while there is room for them; one at least. */
function nextStage(queues: readonly Queue[], room: WriteRoom): PlannedCase[] {
  const stage: PlannedCase[] = [];
  const fits = (planned: PlannedCase): boolean =>
    stage.every(goesBeside) &&
    goesBeside(planned) &&
    sendsOf([...stage, planned]) <= room.inAll &&
    sendsOf([...stage.filter(({ rule }) => rule.id === planned.rule.id), planned]) <= room.ofRule;
  for (;;) {
    const open = queues.filter(
      ({ left: [next] }) => next !== undefined && (stage.length === 0 || fits(next)),
    );
    const queue = open.find(({ begun }) => !begun) ?? largest(open);
    const planned = queue?.left.shift();
    if (!queue || !planned) return stage;
    queue.begun = true;
    stage.push(planned);
  }
}

function sendsOf(cases: readonly PlannedCase[]): number {
  return cases.reduce((sum, { testCase: { sends = 1 } }) => sum + sends, 0);
}

/** The queue with the most cases that go beside others, or just the most. */
function largest(queues: readonly Queue[]): Queue | undefined {
  const beside = ({ left }: Queue): number => left.filter(goesBeside).length;
  return queues.toSorted((a, b) => beside(b) - beside(a) || b.left.length - a.left.length)[0];
}

/** What is only observed may well be accepted, and would then leave less room for others. */
function goesBeside({ level, testCase: { beside } }: PlannedCase): boolean {
  return beside !== undefined && level !== "OBSERVE";
}
