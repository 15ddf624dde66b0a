/** What is given to `open`, as its options are read. */
export interface OpenFlags {
  readonly port: number;
  /** False with `--no-browser`. */
  readonly browser: boolean;
}
