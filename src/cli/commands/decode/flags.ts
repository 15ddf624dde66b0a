/** What is given to `decode`, as its options are read. */
export interface DecodeFlags {
  readonly profile?: string;
}
