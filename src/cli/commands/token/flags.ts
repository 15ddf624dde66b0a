/** What is given to `token`, as its options are read. */
export interface TokenFlags {
  readonly profile?: string;
  readonly operation?: string;
  readonly organization?: string;
  readonly unbound?: boolean;
  readonly typ: "JWT" | "at+jwt" | "none";
  readonly allowBundledKeys?: boolean;
  readonly list?: boolean;
  readonly client?: string;
}
