import type { IssuerKey, Target } from "../../profile/target.ts";

/**
 * Says why a mutation cannot be made for the issuer's keys, once they are known: where tokens are issued,
 * the plan is made before the first of them has come.
 */
export function onceKnown(
  why: (target: Target) => string | undefined,
): (target: Target) => string | undefined {
  return (target) => (target.testIssuer.algorithms.length === 0 ? undefined : why(target));
}

/** The issuer's keys that tokens can be had of, the control's first; issued tokens are of one. */
export function keysInUse({ issued, testIssuer }: Target): readonly IssuerKey[] {
  return issued ? [testIssuer.key] : [testIssuer.key, ...testIssuer.keys];
}
