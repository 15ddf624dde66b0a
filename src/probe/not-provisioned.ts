import type { Need } from "../profile/need.ts";
import type { Finding } from "./finding.ts";

/**
 * What comes of a case when the run has looked for what it needs, and the deployment has not shown it.
 * What a profile lacks is known, and its cases are settled, before anything is sent.
 */
export function notProvisioned(...keys: readonly Need[]): Extract<Finding, { keys: unknown }> {
  return { kind: "not-provisioned", keys };
}
