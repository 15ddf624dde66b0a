import type { TargetFlags } from "../../options.ts";

/** What is given to `replay`, as its options are read. */
export interface ReplayFlags extends TargetFlags {
  readonly out?: string;
  /** Names or files of packs. */
  readonly pack?: readonly string[];
  readonly reportMode?: number;
  /** A folder: the case is tried again whenever a file in it changes. */
  readonly watch?: string;
  /** Whether a watched case may write. */
  readonly watchWrites?: boolean;
}
