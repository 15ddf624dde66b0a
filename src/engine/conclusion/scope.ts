import { type Side, SIDES } from "../../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import { sideOf } from "../../probe/rule.ts";
import type { CaseResult, Scope } from "../events.ts";
import { isJudged } from "../judge.ts";
import type { Plan } from "../plan.ts";

/** The sides and operations with a judged case. Where there is none, the side is the receiver. */
export function scopeOf(plan: Plan, results: readonly CaseResult[]): Scope {
  return { sides: judgedSides(plan, results), operations: judgedOperations(results) };
}

function judgedSides(plan: Plan, results: readonly CaseResult[]): Side[] {
  const judged = new Set(results.filter(isJudged).map(({ id }) => id));
  const found = new Set(
    plan.cases.filter(({ caseId }) => judged.has(caseId)).map(({ rule }) => sideOf(rule)),
  );
  return found.size === 0 ? ["receiver"] : SIDES.filter((side) => found.has(side));
}

function judgedOperations(results: readonly CaseResult[]): OperationId[] {
  const judged = new Set(results.filter(isJudged).map(({ operation }) => operation));
  return OPERATION_IDS.filter((id) => judged.has(id));
}
