import type { TargetFlags } from "../../options.ts";

/** What is given to `verify`, as its options are read. */
export interface VerifyFlags extends Omit<TargetFlags, "profile"> {
  readonly require?: "conformant";
  readonly json?: boolean;
  /** Formats, each `html`. */
  readonly report?: readonly string[];
  readonly out?: string;
  /** Names or files of packs. */
  readonly pack?: readonly string[];
  readonly attestation?: string;
  readonly keys?: string;
  /** The profile's file. */
  readonly live?: string;
  readonly sample?: number;
  /** The chance to find a wrong case, in place of a number of cases; from 0 to 1. */
  readonly power?: number;
  /** The number of wrong cases that `power` is about. */
  readonly wrong?: number;
  readonly seed?: number;
}
