import type { TargetFlags } from "../../options.ts";

/** What is given to `doctor`, as its options are read. */
export interface DoctorFlags extends Omit<TargetFlags, "readOnly"> {
  /** Base URL of a deployment that must not trust the test issuer. */
  readonly expectUntrusted?: string;
  readonly json?: boolean;
  /** Whether each write is tried once. */
  readonly writes?: boolean;
}
