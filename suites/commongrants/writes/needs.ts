import type { OperationId } from "../../../src/contract/operations.ts";
import type { CaseData } from "../../../src/probe/rule.ts";
import type { Facts } from "../../../src/profile/facts.ts";

/** Cases that do not apply where one of these operations is not offered. */
export function without<C extends CaseData>(
  { operations }: Facts,
  needed: readonly OperationId[],
  cases: readonly C[],
): C[] {
  const missing = needed.find((id) => !operations[id]);
  return cases.map((one) =>
    missing === undefined ? one : { ...one, inapplicable: `${missing} is not offered` },
  );
}

/** Cases that look at the view. */
export function withoutView<C extends CaseData>(facts: Facts, cases: readonly C[]): C[] {
  return without(facts, ["viewOrganization"], cases);
}
