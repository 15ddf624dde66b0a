import type { TargetFlags } from "../../options.ts";

/** What is given to `open`, as its options are read. */
export interface OpenFlags extends TargetFlags {
  readonly port: number;
  /** False with `--no-browser`. */
  readonly browser: boolean;
  /** A folder: what does not pass is judged again whenever a file in it changes. */
  readonly watch?: string;
  /** Whether cases that are judged so may write. */
  readonly watchWrites?: boolean;
}
