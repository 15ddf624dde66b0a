export interface OriginSettings {
  /** Field lines of every request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** PEM text of the client certificate. */
  readonly cert?: string | undefined;
  /** PEM text of its private key. Must never be recorded. */
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  /** No limit when absent. */
  readonly maxRequestsPerSecond?: number | undefined;
  /**
   * How many seconds to wait in total where answers ask to, as with `Retry-After`; see `createPatience`. No limit when
   * absent.
   */
  readonly retryAfterSeconds?: number | undefined;
}

/** One origin that requests are sent to, with its own settings. A `Target` is an `Origin`. */
export interface Origin {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly request: OriginSettings;
  /** Restricts connections to public addresses and the named origin. Default: no restriction. */
  readonly untrusted?: { readonly named: string | undefined } | undefined;
  /**
   * Why no connection is made at all, as a sentence: the target itself named this origin, and must
   * not. Default: connections are made.
   */
  readonly refused?: string | undefined;
  /** Values that must not appear in any recorded exchange with it. */
  readonly secrets: readonly string[];
  /** What is said openly, as one text: parts of secrets that occur there are shown. Default: nothing. */
  readonly openly?: string | undefined;
}
