import { OPERATIONS, type OperationId } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import type { CheckBreakage } from "../tokens/breakages/one-each.ts";
import { oneForEachCheck } from "../tokens/breakages/one-each.ts";
import type { AttemptOptions } from "./probe.ts";

/** The breakages that can be made on an operation with what the profile tells, one for each receiver check. */
export function checkBreakagesOn(target: Target, id: OperationId): CheckBreakage[] {
  const { organization } = OPERATIONS[id];
  return oneForEachCheck.filter(({ breakage: { check } }) => {
    if (check === 6) return organization && target.bindingClaim !== undefined;
    return check !== 7 || (organization && (target.denied?.operations.includes(id) ?? false));
  });
}

/** In which control breakages of these checks show: bound for check 6, on the denied organization for check 7. */
export function placeFor(target: Target, ...breakages: readonly CheckBreakage[]): AttemptOptions {
  const checks = breakages.map(({ breakage }) => breakage.check);
  return {
    ...(checks.includes(6) && { bound: true }),
    ...(checks.includes(7) && { organization: target.denied?.organization }),
  };
}
