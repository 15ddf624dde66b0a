/** The options of `doctor`. */
export interface DoctorFlags {
  readonly profile?: string;
  readonly allowBundledKeys?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
  readonly json?: boolean;
}
