import type { JSONWebKeySet } from "jose";
import type { ClientMetadata } from "oidc-provider";

type Json = Record<string, unknown>;

/** A token request on its way to the server, and what was seen of the run before. */
export interface TokenRequest {
  readonly form: URLSearchParams;
  /** The value of `Authorization`; may be set. */
  authorization: string | undefined;
  readonly memory: Memory;
}

/** An answer of the token endpoint on its way back. */
export interface TokenAnswer {
  readonly form: URLSearchParams;
  status: number;
  body: Json;
  readonly headers: Record<string, string>;
  readonly memory: Memory;
}

/** What faults remember from one request to the next. */
export interface Memory {
  readonly clients: readonly ClientMetadata[];
  /** Authorization requests as they came, by their `state`. */
  readonly requests: Map<string, URLSearchParams>;
  /** The authorization request that a code came of. */
  readonly codes: Map<string, URLSearchParams>;
  /** Codes that were tried. */
  readonly burnt: Set<string>;
  /** Answers of the token endpoint by code. */
  readonly redeemed: Map<string, Json>;
}

/** What a token is issued for. */
export interface Grant {
  readonly client: string;
  readonly flow: "client_credentials" | "authorization_code";
}

/**
 * What the reference authorization server does around the library that it is made of. As it is, each
 * step passes on what it is given; a fault or a variant is another function in one place.
 */
export interface ServerSteps {
  /** The clients as they are registered. */
  readonly registered: (clients: readonly ClientMetadata[]) => readonly ClientMetadata[];
  readonly publishedMetadata: (metadata: Json) => Json;
  readonly publishedKeys: (keys: JSONWebKeySet) => JSONWebKeySet;
  /** The claims of an access token. */
  readonly tokenClaims: (claims: Json, grant: Grant) => Json;
  readonly tokenHeader: (header: Json) => Json;
  readonly tokenRequest: (request: TokenRequest) => void;
  readonly tokenAnswer: (answer: TokenAnswer) => void;
  readonly authorizationRequest: (query: URLSearchParams, memory: Memory) => void;
  /** Where an authorization request is sent at once, before anything of it is checked; usually nowhere. */
  readonly openRedirect: (query: URLSearchParams, memory: Memory) => string | undefined;
  /** Whether the person allowed what was asked for, by the button. */
  readonly isAllowed: (answer: string | null) => boolean;
  /** The redirect to a client, whose parameters may be changed. */
  readonly clientRedirect: (to: URL, memory: Memory) => void;
  /** The status of redirects after the login. */
  readonly redirectStatus: () => number;
}

/** The authorization server as the contract wants it. */
export const SERVER_STEPS: ServerSteps = {
  registered: (clients) => clients,
  publishedMetadata: (metadata) => metadata,
  publishedKeys: (keys) => keys,
  tokenClaims: (claims) => claims,
  tokenHeader: (header) => header,
  tokenRequest: () => {},
  tokenAnswer: () => {},
  authorizationRequest: () => {},
  openRedirect: () => undefined,
  isAllowed: (answer) => answer === "allow",
  clientRedirect: () => {},
  redirectStatus: () => 303,
};
