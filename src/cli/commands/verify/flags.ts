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
  readonly seed?: number;
  readonly readOnly?: boolean;
  readonly allowBundledKeys?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
}
