/** The options of `verify`. */
export interface VerifyFlags {
  readonly json?: boolean;
  /** Formats, each `html`. */
  readonly report?: readonly string[];
  /** Where the page goes. */
  readonly out?: string;
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
  readonly readOnly?: boolean;
  readonly allowBundledKeys?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
}
