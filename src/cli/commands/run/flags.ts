/** The options of `run`. */
export interface RunFlags {
  readonly profile?: string;
  readonly out: string;
  readonly rule?: readonly string[];
  readonly failed?: boolean;
  readonly seed?: number;
  readonly concurrency: number;
  readonly readOnly?: boolean;
  /** Seconds. */
  readonly timeout?: number;
  /** The profile is somebody else's. */
  readonly untrusted?: boolean;
  /** Names of environment variables that such a profile may use. */
  readonly env?: readonly string[];
  readonly acceptIncomplete?: boolean;
  readonly baseline?: string;
  /** True where no file is named. */
  readonly writeBaseline?: string | true;
  readonly allowBundledKeys?: boolean;
  readonly dryRun?: boolean;
  readonly verbose?: boolean;
  readonly report?: readonly string[];
}
