/** The options of `attest`. */
export interface AttestFlags {
  readonly key?: string;
  readonly out?: string;
  readonly predicate?: string;
}
