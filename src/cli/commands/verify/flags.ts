/** The options of `verify`. */
export interface VerifyFlags {
  readonly json?: boolean;
}
