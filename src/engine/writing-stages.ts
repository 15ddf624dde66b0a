import { type Level, LEVELS } from "../contract/levels.ts";
import { countEach } from "../lib/group-by.ts";
import type { WriteGrant, WriteRoom } from "../probe/write/budget.ts";
import type { Stage } from "./batch.ts";
import { dependsOnCase } from "./dependencies.ts";
import { type PlannedCase, sendsOf } from "./plan.ts";

const ONE_BY_ONE: WriteRoom = { inAll: 1, ofRule: 1 };

/**
 * Puts cases that write to one endpoint into stages. The cases of a stage are sent side by side, and a stage is so small
 * that each of them would be sent even if all others were accepted. So which cases a run sends depends on the plan and on
 * the answers, never on timing. A case that is not declared to go `beside` others is a stage of its own.
 *
 * The cases of one level come after those of the level above. Within a level, the first case of each rule, its plainest,
 * comes before all others, because no rule should lack a write for those. As long as several may be sent side by side, the
 * rules with the most cases left come next, so that no rule is left to go on alone, and cases that go alone come last.
 * Everything else is in the order of the plan.
 * @param beginStage asked before each stage of a level what its writes may do; where it is not known, cases go one by one
 */
export function* writingStages(
  lane: readonly PlannedCase[],
  beginStage: (level: Level) => WriteGrant | undefined,
): Generator<Stage> {
  // The verdict needs the MUST cases, so they have the first accepted writes.
  for (const level of LEVELS) {
    const ofLevel = lane.filter((planned) => planned.level === level);
    yield* stagesOfLevel(ofLevel, () => beginStage(level));
  }
}

function* stagesOfLevel(
  lane: readonly PlannedCase[],
  beginStage: () => WriteGrant | undefined,
): Generator<Stage> {
  const causes = new Map(
    lane.map((planned, at) => [
      planned,
      lane.slice(0, at).filter((other) => dependsOnCase(planned, other)),
    ]),
  );
  const firsts = new Map(lane.toReversed().map((planned) => [planned.rule.id, planned]));
  const isFirst = (planned: PlannedCase): boolean => firsts.get(planned.rule.id) === planned;
  const others = lane.filter((planned) => !isFirst(planned));
  for (let left = [...lane.filter(isFirst), ...others]; left.length > 0;) {
    const waits = (planned: PlannedCase): boolean =>
      causes.get(planned)?.some((cause) => left.includes(cause)) ?? false;
    const ready = left.filter((planned) => !waits(planned));
    const grant = beginStage();
    const stage = nextStage(ready, isFirst, grant?.atOnce ?? ONE_BY_ONE);
    left = left.filter((planned) => !stage.includes(planned));
    yield { cases: stage, grant };
  }
}

function nextStage(
  left: readonly PlannedCase[],
  isFirst: (planned: PlannedCase) => boolean,
  room: WriteRoom,
): readonly PlannedCase[] {
  const next = left.slice(0, 1);
  if (room.inAll <= 1 || next.some((planned) => isFirst(planned) && !goesBeside(planned))) {
    return next;
  }
  const stage: PlannedCase[] = [];
  for (;;) {
    const open = left.filter((planned) => goesBeside(planned) && !stage.includes(planned));
    const fitting = open.filter((planned) => fits(planned, stage, room));
    const firstsBegun = left.every((planned) => !isFirst(planned) || stage.includes(planned));
    const planned = fitting.find(isFirst) ?? (firstsBegun && ofLargestRule(fitting, open));
    if (!planned) return stage.length > 0 ? stage : next;
    stage.push(planned);
  }
}

function fits(planned: PlannedCase, stage: readonly PlannedCase[], room: WriteRoom): boolean {
  const sends = sendsOf(planned);
  if (allSent(stage) + sends > room.inAll) return false;
  return allSent(stage.filter(({ rule }) => rule.id === planned.rule.id)) + sends <= room.ofRule;
}

function allSent(cases: readonly PlannedCase[]): number {
  return cases.reduce((sum, planned) => sum + sendsOf(planned), 0);
}

/** The first of the rule that has the most cases left. */
function ofLargestRule(
  cases: readonly PlannedCase[],
  left: readonly PlannedCase[],
): PlannedCase | undefined {
  const sizes = countEach(left.map(({ rule }) => rule.id));
  const largest = Math.max(...cases.map(({ rule }) => sizes.get(rule.id) ?? 0));
  return cases.find(({ rule }) => sizes.get(rule.id) === largest);
}

function goesBeside({ testCase: { writes } }: PlannedCase): boolean {
  return writes === "beside";
}
