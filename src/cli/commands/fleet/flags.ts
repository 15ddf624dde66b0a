import type { Shard } from "../../../fleet/groups.ts";

/** The options of `fleet`. */
export interface FleetFlags {
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
  readonly readOnly?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
  readonly allowBundledKeys?: boolean;
  readonly report?: readonly string[];
  readonly reportMode?: number;
}
