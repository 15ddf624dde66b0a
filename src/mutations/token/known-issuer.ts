import type { IssuerKey, Target } from "../../profile/target.ts";

/**
 * Delays a test of the issuer's keys until they are known. Where tokens are issued, the plan is made
 * before the first token arrives.
 */
export function onceKnown(
  why: (target: Target) => string | undefined,
): (target: Target) => string | undefined {
  return (target) => (target.testIssuer.algorithms.length === 0 ? undefined : why(target));
}

/**
 * The issuer's keys that tokens can be signed with, the control's first. Issued tokens have one key.
 */
export function keysInUse({ issued, testIssuer }: Target): readonly IssuerKey[] {
  return issued ? [testIssuer.key] : [testIssuer.key, ...testIssuer.keys];
}
