import { groupBy } from "../lib/group-by.ts";
import type { PlannedCase } from "./plan.ts";

/**
 * The cases that come first, because they show most failures soon: each way of each MUST rule once, and the rules take turns. A way
 * is what `<rule>/<way>@<operation>` tries. If several operations have it, it comes first where one organization is viewed, so that
 * few controls serve all of them.
 * @returns their ids, each with its priority: those with the highest come first
 */
export function firstRound(cases: readonly PlannedCase[]): ReadonlyMap<string, number> {
  const musts = cases.filter(({ level }) => level === "MUST");
  const ways = groupBy(musts, ({ caseId }) => caseId.replace(/@[^@/]*$/, ""));
  const chosen = [...ways.values()].flatMap((same) => {
    const viewing = same.find(({ testCase }) => testCase.operation === "viewOrganization");
    return viewing ?? same.slice(0, 1);
  });
  const rules = [...groupBy(chosen, ({ rule }) => rule.id).values()];
  const turns = Math.max(0, ...rules.map(({ length }) => length));
  return new Map(
    rules.flatMap((ofRule) => ofRule.map(({ caseId }, turn) => [caseId, turns - turn] as const)),
  );
}

/** What sends most begins first, so that nothing goes on alone at the end. */
export function largestFirst(cases: readonly PlannedCase[]): PlannedCase[] {
  return cases.toSorted((a, b) => sendsOf(b) - sendsOf(a));
}

function sendsOf({ testCase: { sends = 1 } }: PlannedCase): number {
  return sends;
}
