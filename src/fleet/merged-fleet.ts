import type { Changes } from "./changes.ts";
import type { Deployment } from "./deployment.ts";
import type { OpenQuestion } from "./open-questions.ts";

/** What is known of a whole fleet. */
export interface MergedFleet {
  /** By name. */
  readonly deployments: readonly Deployment[];
  /** What they do otherwise where the contract is silent. */
  readonly open: readonly OpenQuestion[];
  /** Absent where there is no other time. */
  readonly changes?: Changes | undefined;
}
