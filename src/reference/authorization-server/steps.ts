import type { JSONWebKeySet } from "jose";
import type { ClientMetadata } from "oidc-provider";

type Json = Record<string, unknown>;

/** A request with a client's credentials before the server handles it, and the state of the run so far. */
export interface TokenRequest {
  readonly form: URLSearchParams;
  /** The value of `Authorization`; a step may change it. */
  authorization: string | undefined;
  readonly memory: Memory;
}

/** An answer of the token endpoint before it is sent. */
export interface TokenAnswer {
  readonly form: URLSearchParams;
  status: number;
  body: Json;
  readonly headers: Record<string, string>;
  readonly memory: Memory;
}

/** The state that faults keep between requests. */
export interface Memory {
  readonly clients: readonly ClientMetadata[];
  /** Authorization requests as received, by `state`. */
  readonly requests: Map<string, URLSearchParams>;
  /** The authorization request that each code was issued for. */
  readonly codes: Map<string, URLSearchParams>;
  /** Answers of the token endpoint by code. */
  readonly redeemed: Map<string, Json>;
}

/** The authorization that a token is issued for. */
export interface Grant {
  readonly client: string;
  readonly flow: "client_credentials" | "authorization_code";
  /** The form of the token request, as the library got it. */
  readonly form: URLSearchParams;
}

/**
 * The steps of the reference authorization server around the library that it uses. By default each step
 * passes its input on. A fault or a variant replaces one step.
 */
export interface ServerSteps {
  /** The registration of the clients. */
  readonly registered: (clients: readonly ClientMetadata[]) => readonly ClientMetadata[];
  readonly publishedMetadata: (metadata: Json) => Json;
  /** The media type of the metadata. */
  readonly metadataType: () => string;
  readonly publishedKeys: (keys: JSONWebKeySet) => JSONWebKeySet;
  /** The claims of an access token. */
  readonly tokenClaims: (claims: Json, grant: Grant) => Json;
  readonly tokenHeader: (header: Json) => Json;
  readonly tokenRequest: (request: TokenRequest) => void;
  readonly tokenAnswer: (answer: TokenAnswer) => void;
  /** An authorization request that a client pushes, RFC 9126, with its credentials. */
  readonly pushedRequest: (request: TokenRequest) => void;
  /** Whether every authorization request has to be pushed. */
  readonly requiresPushing: () => boolean;
  readonly authorizationRequest: (query: URLSearchParams, memory: Memory) => void;
  /** The URL to redirect an authorization request to before any check; normally none. */
  readonly openRedirect: (query: URLSearchParams, memory: Memory) => string | undefined;
  /** Whether the person allowed the request, by the value of the pressed button. */
  readonly isAllowed: (answer: string | null) => boolean;
  /** Changes the parameters of a redirect to a client. */
  readonly clientRedirect: (to: URL, memory: Memory) => void;
  /** The status of redirects after the login. */
  readonly redirectStatus: () => number;
  /** Whether a refresh token is replaced when a client uses it that authenticates by this method. */
  readonly replacesRefreshToken: (method: string | undefined) => boolean;
}

/** The authorization server as the contract requires it. */
export const SERVER_STEPS: ServerSteps = {
  registered: (clients) => clients,
  publishedMetadata: (metadata) => metadata,
  metadataType: () => "application/json",
  publishedKeys: (keys) => keys,
  tokenClaims: (claims) => claims,
  tokenHeader: (header) => header,
  tokenRequest: () => {},
  tokenAnswer: () => {},
  pushedRequest: () => {},
  requiresPushing: () => false,
  authorizationRequest: () => {},
  openRedirect: () => undefined,
  isAllowed: (answer) => answer === "allow",
  clientRedirect: () => {},
  redirectStatus: () => 303,
  // RFC 9700 section 2.2.2 asks for it where nothing else tells a thief from the client.
  replacesRefreshToken: (method) => method === "none",
};
