import { groupBy } from "../lib/group-by.ts";
import type { PlannedCase } from "./plan.ts";

/**
 * The cases that come first, because they show most faults soon: each way of each rule once. A way is what `<rule>/<way>@<operation>`
 * tries. If several operations have it, it comes first where one organization is viewed, so that few controls serve all of them.
 * @returns their ids
 */
export function firstRound(cases: readonly PlannedCase[]): ReadonlySet<string> {
  const ways = groupBy(cases, ({ caseId }) => caseId.replace(/@[^@/]*$/, ""));
  const chosen = [...ways.values()].flatMap((same) => {
    const viewing = same.find(({ testCase }) => testCase.operation === "viewOrganization");
    return viewing ?? same.slice(0, 1);
  });
  return new Set(chosen.map(({ caseId }) => caseId));
}

/** One case of each rule, then the second one of each, and so on. */
export function inTurn(cases: readonly PlannedCase[]): PlannedCase[] {
  const rules = [...groupBy(cases, ({ rule }) => rule.id).values()];
  const longest = Math.max(0, ...rules.map(({ length }) => length));
  return Array.from({ length: longest }, (_, at) =>
    rules.flatMap((ofRule) => ofRule.slice(at, at + 1)),
  ).flat();
}

/** What sends most begins first, so that nothing goes on alone at the end. */
export function largestFirst(cases: readonly PlannedCase[]): PlannedCase[] {
  return cases.toSorted((a, b) => sendsOf(b) - sendsOf(a));
}

function sendsOf({ testCase: { sends = 1 } }: PlannedCase): number {
  return sends;
}
