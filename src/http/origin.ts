/** One origin that requests are sent to, with what belongs to it alone. A `Target` is one. */
export interface Origin {
  /** Scheme, host and port. */
  readonly origin: string;
  readonly request: {
    /** Sent with every request, names in lower case. */
    readonly headers: Readonly<Record<string, string>>;
    /** PEM text of a certificate authority to trust. */
    readonly ca?: string | undefined;
    /** PEM text of the client certificate, and of its private key. */
    readonly cert?: string | undefined;
    readonly key?: string | undefined;
    readonly timeoutMs: number;
    /** No limit when absent. */
    readonly maxRequestsPerSecond?: number | undefined;
  };
  /** Connections go to public addresses alone, or to the origin that is named. Default: anywhere. */
  readonly untrusted?: { readonly named: string | undefined } | undefined;
  /** Why no connection is made at all, as a sentence: a target has named it, and may not. Default: they are. */
  readonly refused?: string | undefined;
  /** Values that must not be shown of any exchange with it. */
  readonly secrets: readonly string[];
}
