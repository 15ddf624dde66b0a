/** The options of `init`. */
export interface InitFlags {
  readonly profile: string;
  readonly baseUrl?: string;
  readonly claimsNamespace?: string;
  readonly issuer?: string;
  readonly authorizationServer?: string;
  readonly serviceClient?: string;
  readonly codeClient?: string;
  /** Default of the command: true. */
  readonly testIssuer?: boolean;
  readonly audience?: string;
  readonly subject?: string;
  readonly primary?: string;
  readonly other?: string;
  readonly deniedSubject?: string;
  readonly denied?: string;
  readonly openapi?: string;
  readonly writes?: boolean;
  readonly keys: string;
  readonly ticket?: string;
  readonly yes?: boolean;
  readonly force?: boolean;
}
