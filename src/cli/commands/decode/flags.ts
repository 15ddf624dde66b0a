/** The options of `decode`. */
export interface DecodeFlags {
  readonly profile?: string;
}
