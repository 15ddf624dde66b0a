/** What is given to `serve`, as its options are read. */
export interface ServeFlags {
  readonly port: number;
  readonly host: string;
  readonly fault?: readonly string[];
  readonly variant?: readonly string[];
  readonly jwks?: string;
  readonly organizations?: number;
  /** True when no word is named. */
  readonly list?: string | true;
}
