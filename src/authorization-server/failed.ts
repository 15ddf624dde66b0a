/** Why something could not be done, as the end of a sentence. */
export interface Failed {
  readonly failed: string;
  /**
   * True where this is not a refusal: there was no answer, or the answer says nothing about the
   * request.
   */
  readonly unclear?: true;
  /** The exchange with an answer that is wrong whatever was asked; absent where it may be a refusal. */
  readonly wrong?: string;
}
