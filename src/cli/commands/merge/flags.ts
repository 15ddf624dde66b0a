/** The options of `merge`. */
export interface MergeFlags {
  readonly out: string;
  readonly reportMode?: number;
  readonly since?: string;
  readonly gate?: boolean;
  readonly acceptIncomplete?: boolean;
}
