/** What is given to `attest`, as its options are read. */
export interface AttestFlags {
  readonly key?: string;
  readonly out?: string;
  readonly predicate?: string;
}
