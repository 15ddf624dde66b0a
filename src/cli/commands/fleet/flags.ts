import type { Shard } from "../../../fleet/profiles.ts";
import type { TargetFlags } from "../../options.ts";

/** What is given to `fleet`, as its options are read. */
export interface FleetFlags extends Omit<TargetFlags, "profile"> {
  readonly out: string;
  readonly jobs: number;
  readonly shard?: Shard;
  /** Time limit of each run, in seconds. */
  readonly timeout: number;
  readonly resume?: boolean;
  readonly baselines?: string;
  readonly seed?: number;
  readonly rule?: readonly string[];
  readonly concurrency?: number;
  readonly report?: readonly string[];
  readonly reportMode?: number;
}
