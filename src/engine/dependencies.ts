import type { PlannedCase } from "./plan.ts";

type Named = Pick<PlannedCase, "caseId" | "rule" | "testCase">;

/**
 * The names by which others depend on a case. `receiver.x` names every case of a rule; `receiver.x/y` names the cases `y` and
 * `y@<operation>`.
 */
export function namesOf({ rule, caseId }: Named): Set<string> {
  return new Set([rule.id, caseId, caseId.replace(/@[^@/]*$/, "")]);
}

/**
 * Whether a case names another one as what would explain its failure, on the same operation of the receiver. What its rule depends
 * on is not meant, and no whole rule, because many cases would wait for many.
 */
export function dependsOnCase({ testCase }: Named, other: Named): boolean {
  const { dependsOn = [], operation } = testCase;
  if (dependsOn.length === 0 || other.testCase.operation !== operation) return false;
  const names = namesOf(other);
  return dependsOn.some((name) => name !== other.rule.id && names.has(name));
}
