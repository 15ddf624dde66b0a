/** What is wrong with a member of a value, by a model of the contract. */
export interface ModelError {
  /** JSON Pointer (RFC 6901) to the member, even where it is missing. Empty for the value itself. */
  readonly pointer: string;
  /** What is wrong, as a predicate: `must be an integer, but is a string`. */
  readonly message: string;
  /** Whether the member is required, and not there. */
  readonly isMissing: boolean;
}
