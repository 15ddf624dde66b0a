import { expect, test } from "vitest";

import type { Stage } from "../../src/engine/batch.ts";
import type { PlannedCase } from "../../src/engine/plan.ts";
import { writingStages } from "../../src/engine/writing-stages.ts";
import type { WriteGrant, WriteRoom } from "../../src/probe/write/budget.ts";

/** Cases by name, `<rule><number>`; those in `alone` are not declared to go beside others. */
function lane(names: readonly string[], alone: readonly string[] = []): PlannedCase[] {
  return names.map(
    (name) =>
      ({
        caseId: name,
        level: "MUST",
        rule: { id: name.charAt(0) },
        testCase: { id: name, ...(!alone.includes(name) && { writes: "beside" as const }) },
      }) as unknown as PlannedCase,
  );
}

function granted(atOnce: WriteRoom): WriteGrant {
  return { atOnce, mayBeAccepted: atOnce };
}

function namesIn({ cases }: Stage): string {
  return cases.map(({ caseId }) => caseId).join(" ");
}

function stagesOf(cases: readonly PlannedCase[], room: () => WriteRoom | undefined): string[] {
  const begin = (): WriteGrant | undefined => {
    const atOnce = room();
    return atOnce && granted(atOnce);
  };
  return [...writingStages(cases, begin)].map(namesIn);
}

test("the first case of each rule comes first, then the rules with the most remaining cases", () => {
  const cases = lane(["a1", "a2", "a3", "a4", "b1", "b2", "c1"]);
  expect(stagesOf(cases, () => ({ inAll: 3, ofRule: 2 }))).toEqual(["a1 b1 c1", "a2 a3 b2", "a4"]);
});

test("no more cases of one rule run in parallel than may be accepted", () => {
  const cases = lane(["a1", "a2", "a3", "a4", "b1"]);
  expect(stagesOf(cases, () => ({ inAll: 7, ofRule: 2 }))).toEqual(["a1 b1 a2", "a3 a4"]);
});

test("cases of a level come after those of the level above, whatever rule they are of", () => {
  const [observed, advised, ...required] = lane(["a1", "b1", "a2", "b2", "c1"]);
  const cases = [
    { ...observed, level: "OBSERVE" },
    { ...advised, level: "SHOULD" },
    ...required,
  ] as PlannedCase[];
  const asked: string[] = [];
  const stages = [
    ...writingStages(cases, (level) => {
      asked.push(level);
      return granted({ inAll: 7, ofRule: 7 });
    }),
  ];
  expect(stages.map(namesIn)).toEqual(["a2 b2 c1", "b1", "a1"]);
  expect(asked).toEqual(["MUST", "SHOULD", "OBSERVE"]);
});

test("a case that may not run in parallel runs alone", () => {
  const cases = lane(["a1", "a2", "a3", "b1", "b2"], ["a2", "b1"]);
  expect(stagesOf(cases, () => ({ inAll: 7, ofRule: 7 }))).toEqual(["a1", "b1", "a3 b2", "a2"]);
});

test("when little room is left, the cases run one by one, in the order of the plan", () => {
  const rooms = [
    { inAll: 3, ofRule: 3 },
    { inAll: 1, ofRule: 1 },
    { inAll: 0, ofRule: 1 },
  ];
  const cases = lane(["a1", "a2", "a3", "a4", "a5", "b1", "b2"], ["a5"]);
  expect(stagesOf(cases, () => rooms.shift())).toEqual(["a1 b1 a2", "a3", "a4", "a5", "b2"]);
});

test("a case waits for those of the lane that it names, and for no whole rule", () => {
  const [a1, a2, b1, b2, c1] = lane(["a1", "a2", "b1", "b2", "c1"]);
  const cases = [a1, a2, b1, after(b2, "a/2"), after(c1, "b")].map((planned, at) => ({
    ...planned,
    caseId: ["a/1", "a/2", "b/1", "b/2", "c/1"][at],
  })) as PlannedCase[];
  expect(stagesOf(cases, () => ({ inAll: 7, ofRule: 7 }))).toEqual(["a/1 b/1 c/1 a/2", "b/2"]);
});

function after(planned: PlannedCase | undefined, name: string): PlannedCase | undefined {
  return planned && { ...planned, testCase: { ...planned.testCase, dependsOn: [name] } };
}
