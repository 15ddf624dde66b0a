/** What is given to `merge`, as its options are read. */
export interface MergeFlags {
  readonly out: string;
  readonly reportMode?: number;
  readonly since?: string;
  readonly gate?: boolean;
  readonly acceptIncomplete?: boolean;
}
