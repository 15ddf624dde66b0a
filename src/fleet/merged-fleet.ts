import type { Changes } from "./changes.ts";
import type { Deployment } from "./deployment.ts";
import type { OpenQuestion } from "./open-questions.ts";

/** What is known of a whole fleet. */
export interface MergedFleet {
  /** Sorted by name. */
  readonly deployments: readonly Deployment[];
  /** Those of an earlier time; absent without one to compare with. */
  readonly earlier?: readonly Deployment[] | undefined;
  /** The differences between deployments where the contract is silent. */
  readonly open: readonly OpenQuestion[];
  /** Absent without an earlier time to compare with. */
  readonly changes?: Changes | undefined;
}
