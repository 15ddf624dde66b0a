import type { GateFlags } from "../../gate.ts";

/** What is given to `merge`, as its options are read. */
export interface MergeFlags extends GateFlags {
  readonly out: string;
  readonly reportMode?: number;
  readonly since?: string;
  readonly gate?: boolean;
}
