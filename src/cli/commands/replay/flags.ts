/** The options of `replay`. */
export interface ReplayFlags {
  readonly profile?: string;
  readonly out?: string;
  readonly readOnly?: boolean;
  readonly reportMode?: number;
  readonly allowBundledKeys?: boolean;
  readonly untrusted?: boolean;
  readonly env?: readonly string[];
}
