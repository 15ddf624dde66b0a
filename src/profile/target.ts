import type { OperationId } from "../contract/operations.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { DeploymentDocument } from "./document.ts";
import type { OperationProfile } from "./operation.ts";

/** One signing key of the test issuer. */
export interface IssuerKey {
  readonly kid: string;
  /** JWS algorithm, RFC 7518 or RFC 8037, as the JWK's `alg` says. */
  readonly alg: string;
  /** The private JWK, RFC 7517. Never to be recorded. Absent where others sign. */
  readonly privateJwk?: Readonly<Record<string, unknown>> | undefined;
  /** The public JWK as the deployment sees it in `jwks.json`. */
  readonly publicJwk: Readonly<Record<string, unknown>>;
}

/**
 * Who issues the good tokens: the test issuer that the deployment trusts; or, where tokens are issued,
 * what is known of the deployment's own: its URL, and once a run has asked for them its public keys.
 */
export interface TestIssuer {
  /** The `iss` claim of every good token. */
  readonly url: string;
  /** All keys of the folder, in the order of `private.jwks.json`. */
  readonly keys: readonly IssuerKey[];
  /** The key that signs controls. */
  readonly key: IssuerKey;
  /** Algorithms that the deployment declares to support. */
  readonly algorithms: readonly string[];
  /** Claims of every good token beside those of the contract. No rule is about any of them. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Members of every good token's header beside `alg` and `kid`; a `typ` is the only one that is tried. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Where a run publishes the keys itself: an http URL, whose host and port are listened on. */
  readonly serve?: string | undefined;
  /** True when the keys are the ones that ship with the package, whose private halves are public. */
  readonly bundled: boolean;
}

/** Good tokens are issued by others, and the suite has no key to make any. */
export interface IssuedTokensSource {
  /** The profile says `testIssuer: false`: what only a key could show is left out on purpose. */
  readonly leavesOutTestIssuer: boolean;
  /** The command that prints them; without one the clients of the authorization server get them. */
  readonly command?: TokenCommand | undefined;
}

/** A command that prints one access token. */
export interface TokenCommand {
  /** The program and its arguments; no shell reads them. */
  readonly argv: readonly [string, ...string[]];
  /** Where it runs: the profile's folder. Absolute. */
  readonly folder: string;
}

/** What reports call the deployment. */
export interface DeploymentName {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Everything the suite knows of one deployment before it sends the first request. */
export interface Target {
  /** `{base_url}` exactly as it was written. */
  readonly baseUrl: string;
  /** Scheme, host and port of the base URL. */
  readonly origin: string;
  /** Path of the base URL without a trailing slash; empty when there is none. */
  readonly basePath: string;
  readonly deployment?: DeploymentName | undefined;
  readonly audience: string;
  /** Full name of the organization-binding claim; absent when the profile has no `claimsNamespace`. */
  readonly bindingClaim?: string | undefined;
  readonly testIssuer: TestIssuer;
  /** Where good tokens are issued; `undefined` where the suite mints them with the test issuer's key. */
  readonly issued?: IssuedTokensSource | undefined;
  readonly subject: string;
  readonly organizations: {
    readonly primary?: string | undefined;
    readonly other?: string | undefined;
  };
  readonly denied?: Denied | undefined;
  /** The profile consents to changes of `organizations.primary`: `writes: true`. */
  readonly consent: boolean;
  /** `--read-only`: no PATCH and no POST is sent, whatever the profile consents to. */
  readonly readOnly: boolean;
  /** PATCH and POST may be sent: there is consent, an organization that it is for, and no `--read-only`. */
  readonly writes: boolean;
  /** The document that closes gaps: a path or a URL, resolved against the profile's folder. */
  readonly openapi?: string | undefined;
  /** Files and folders that the document may not refer to: the profile itself, and the issuer's keys. Absolute. */
  readonly withheld: readonly string[];
  /** That document once it has been read; what it tells of the operations is in `operations` then. */
  readonly document?: DeploymentDocument | undefined;
  /** `undefined` for an operation that is not offered. */
  readonly operations: Readonly<Record<OperationId, OperationProfile | undefined>>;
  readonly request: RequestSettings;
  /** The deployment's own, where the profile names it. */
  readonly authorizationServer?: AuthorizationServer | undefined;
  /**
   * The profile is somebody else's: connections go to public addresses alone, or to the origin that
   * the command line named.
   */
  readonly untrusted?: { readonly named: string | undefined } | undefined;
  /** Values that must never be shown: what came from `${env:…}`, client secrets, and the private members of all keys. */
  readonly secrets: readonly string[];
}

/** What local policy forbids an otherwise good token. */
export interface Denied {
  readonly subject: string;
  /** The client of the authorization server whose tokens are of that subject. */
  readonly client?: string | undefined;
  readonly organization: string;
  readonly operations: readonly OperationId[];
}

export interface RequestSettings {
  /** Sent with every request, names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** PEM text of a certificate authority to trust. */
  readonly ca?: string | undefined;
  /** PEM text of the client certificate. */
  readonly cert?: string | undefined;
  /** PEM text of its private key. Never to be recorded. */
  readonly key?: string | undefined;
  readonly timeoutMs: number;
  /** No limit when absent. */
  readonly maxRequestsPerSecond?: number | undefined;
  /** Where the deployment could reach the suite's own listener. */
  readonly callback?: string | undefined;
}
