import type { Variant } from "../../src/reference/variants/variant.ts";

/** With these the receiver refuses what the reference's authorization server issues, so the two do not conform together. */
const REFUSING_ISSUED = new Set([
  "clock-ahead",
  "other-algorithms-alone",
  "typ-absent-only",
  "typ-jwt-only",
]);

/** Whether a receiver can have all these variants: no two use the same freedom. */
export function compatible(variants: readonly Variant[]): boolean {
  const refusesIssued = variants.some(({ name }) => REFUSING_ISSUED.has(name));
  if (refusesIssued && variants.some(({ server }) => server)) return false;
  const used = variants.flatMap(({ uses = [] }) => uses);
  return new Set(used).size === used.length;
}
