/** The options of `run`. */
export interface RunFlags {
  readonly profile?: string;
  readonly out: string;
  readonly rule?: readonly string[];
  readonly failed?: boolean;
  readonly bail?: boolean;
  readonly seed?: number;
  readonly concurrency?: number;
  readonly readOnly?: boolean;
  /** In seconds. */
  readonly timeout?: number;
  /** Whether the profile is untrusted. */
  readonly untrusted?: boolean;
  /** Names of environment variables that an untrusted profile may use. */
  readonly env?: readonly string[];
  readonly acceptIncomplete?: boolean;
  readonly require?: "conformant";
  readonly failOn?: "warn";
  readonly baseline?: string;
  /** True when no file is named. */
  readonly writeBaseline?: string | true;
  readonly allowBundledKeys?: boolean;
  readonly dryRun?: boolean;
  readonly verbose?: boolean;
  readonly report?: readonly string[];
  readonly reportMode?: number;
}
