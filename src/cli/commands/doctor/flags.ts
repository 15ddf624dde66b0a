/** The options of `doctor`. */
export interface DoctorFlags {
  readonly profile?: string;
  readonly allowBundledKeys?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
  /** Base URL of a deployment that must not trust the test issuer. */
  readonly expectUntrusted?: string;
  readonly json?: boolean;
}
