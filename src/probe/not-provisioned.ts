import type { Need } from "../profile/need.ts";
import type { Finding } from "./finding.ts";

/**
 * The finding of a case whose need the deployment did not meet when the run looked for it. Needs that
 * the profile lacks are settled before anything is sent.
 */
export function notProvisioned(...keys: readonly Need[]): Extract<Finding, { keys: unknown }> {
  return { kind: "not-provisioned", keys };
}
