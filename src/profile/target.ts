import type { OperationId } from "../contract/operations.ts";
import type { OriginSettings } from "../http/origin.ts";
import type { AuthorizationServer } from "./authorization-server.ts";
import type { DeploymentDocument } from "./document.ts";
import type { OperationProfile } from "./operation.ts";

export interface IssuerKey {
  readonly kid: string;
  /** JWS algorithm, RFC 7518 or RFC 8037, from the JWK's `alg`. */
  readonly alg: string;
  /** The private JWK, RFC 7517. Must never be recorded. Absent where an issuer signs the tokens. */
  readonly privateJwk?: Readonly<Record<string, unknown>> | undefined;
  /** The public JWK that the deployment sees in `jwks.json`. */
  readonly publicJwk: Readonly<Record<string, unknown>>;
  /** Whether what it signs is never sent, so that its signatures need only be as long as real ones. Default: false. */
  readonly signsNothing?: boolean | undefined;
}

/**
 * The issuer of good tokens: the test issuer that the deployment trusts. Where tokens are issued, it holds what is
 * known of the deployment's own issuer: its URL, and its public keys once a run has requested them.
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
  /** Further claims of every good token. No rule is about them. */
  readonly claims: Readonly<Record<string, unknown>>;
  /** Further members of every good token's header. A `typ` here replaces the tried forms. */
  readonly header: Readonly<Record<string, unknown>>;
  /** Where a run publishes the keys itself: an http URL, on whose host and port it listens. */
  readonly serve?: string | undefined;
  /** True when the keys ship with the package, so that their private halves are public. */
  readonly bundled: boolean;
}

/** Good tokens come from an issuer, and the suite has no key to sign any. */
export interface IssuedTokensSource {
  /** Whether the profile says `testIssuer: false`, which leaves out what only a key could show. */
  readonly leavesOutTestIssuer: boolean;
  /** The command that prints tokens; without one, they are requested by the server's clients. */
  readonly command?: TokenCommand | undefined;
}

/** A command that prints one access token. */
export interface TokenCommand {
  /** The program and its arguments. They run without a shell. */
  readonly argv: readonly [string, ...string[]];
  /** The absolute folder it runs in: the profile's. */
  readonly folder: string;
}

export interface DeploymentName {
  readonly name?: string | undefined;
  readonly version?: string | undefined;
}

/** Ids of the organizations to work with. */
export interface Organizations {
  readonly primary?: string | undefined;
  readonly other?: string | undefined;
}

/** Everything the suite knows of one deployment before the first request. */
export interface Target {
  /** `{base_url}` exactly as written. */
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
  /** Set where good tokens are issued, instead of signed with the test issuer's key. */
  readonly issued?: IssuedTokensSource | undefined;
  readonly subject: string;
  readonly organizations: Organizations;
  readonly denied?: Denied | undefined;
  /** Names of the packs that a run judges beside the contract. */
  readonly packs: readonly string[];
  /** Whether the profile consents to changes of `organizations.primary`: `writes: true`. */
  readonly consent: boolean;
  /** `--read-only`: the suite sends no PATCH and no POST, whatever the profile consents to. */
  readonly readOnly: boolean;
  /** Whether PATCH and POST may be sent: consent, a primary organization, no `--read-only`. */
  readonly writes: boolean;
  /** Whether the profile consents to changes of `organizations.other` too: `organizations.other.writes: true`. Default: false. */
  readonly otherWrites?: boolean | undefined;
  /** The OpenAPI document: a path or a URL, resolved against the profile's folder. */
  readonly openapi?: string | undefined;
  /** Absolute paths that the document must not refer to: the profile, and the issuer's keys. */
  readonly withheld: readonly string[];
  /** The document once it is read. `operations` then includes what it says of them. */
  readonly document?: DeploymentDocument | undefined;
  /** `undefined` for an operation that is not offered. */
  readonly operations: Readonly<Record<OperationId, OperationProfile | undefined>>;
  readonly request: RequestSettings;
  /** The deployment's own authorization server, where the profile names it. */
  readonly authorizationServer?: AuthorizationServer | undefined;
  /**
   * Set where the profile is untrusted: connections go only to public addresses, or to the origin
   * that the command line named.
   */
  readonly untrusted?: { readonly named: string | undefined } | undefined;
  /** Values that must never be shown: of `${env:…}`, client secrets, private members of keys. */
  readonly secrets: readonly string[];
  /** What the profile and the contract say openly; see `Origin`. Default: nothing. */
  readonly openly?: string | undefined;
}

/** What local policy denies to an otherwise good token. */
export interface Denied {
  readonly subject: string;
  /** The client of the authorization server whose tokens belong to that subject. */
  readonly client?: string | undefined;
  readonly organization: string;
  readonly operations: readonly OperationId[];
}

/** How requests to the deployment are sent. */
export interface RequestSettings extends OriginSettings {
  /** The URL at which the deployment can reach the suite's own listener. */
  readonly callback?: string | undefined;
}
