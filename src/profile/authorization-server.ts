import type { Scope } from "../contract/operations.ts";

/** The flows of the contract, clause "Flows"; also the values of the claim `grant_type`. */
export const FLOWS = ["client_credentials", "authorization_code"] as const;

export type Flow = (typeof FLOWS)[number];

/** How a client authenticates at the token endpoint. The names are those of RFC 7591 section 2. */
export const AUTHENTICATION_METHODS = [
  "client_secret_basic",
  "client_secret_post",
  "private_key_jwt",
  "none",
] as const;

export type AuthenticationMethod = (typeof AUTHENTICATION_METHODS)[number];

/**
 * Who gives consent: a person in the system's browser; a command, to which the authorization URL is
 * appended; or a function, for programs that use the suite. A command or function must end once it
 * has followed the redirect to the client's redirect URI.
 */
export type Consent =
  | "browser"
  | readonly string[]
  | ((url: string, signal: AbortSignal) => Promise<void>);

export interface Client {
  /** Its key in the profile's `authorizationServer.clients`. */
  readonly name: string;
  readonly flow: Flow;
  /** `client_id`. */
  readonly id: string;
  readonly secret?: string | undefined;
  readonly authentication: AuthenticationMethod;
  /** The private JWK of `private_key_jwt`. */
  readonly key?: Readonly<Record<string, unknown>> | undefined;
  readonly scopes: readonly Scope[];
  /** The id of the organization that its tokens are bound to. */
  readonly organization?: string | undefined;
  readonly subject?: string | undefined;
  readonly authorizationParameters: Readonly<Record<string, string>>;
  readonly tokenParameters: Readonly<Record<string, string>>;
  /** A loopback URL where the suite listens, for the flow `authorization_code`. */
  readonly redirectUri?: string | undefined;
  readonly consent?: Consent | undefined;
  /** Who refuses consent; `undefined` where nobody does. */
  readonly refusal?: Consent | undefined;
}

/** Whether a client's consent needs no person. */
export function isUnattended({ consent }: Pick<Client, "consent">): boolean {
  return consent !== undefined && consent !== "browser";
}

export interface AuthorizationServer {
  /** Its issuer identifier, exactly. */
  readonly issuer: string;
  readonly metadataUrl?: string | undefined;
  readonly authorizationUrl?: string | undefined;
  readonly tokenUrl?: string | undefined;
  readonly jwksUrl?: string | undefined;
  /** The most requests per second to each of its hosts. No limit when absent. */
  readonly maxRequestsPerSecond?: number | undefined;
  /** How many seconds to wait in total for each of its hosts where answers ask to. No limit when absent. */
  readonly retryAfterSeconds?: number | undefined;
  /** False where it always grants all registered scopes. */
  readonly narrowing: boolean;
  /** `client` where each client has a `sub` of its own, so that no two clients give tokens of one subject. */
  readonly subjects?: "client" | undefined;
  /** Whether the profile consents to requests that the server must refuse. */
  readonly probes: boolean;
  /** The longest that a case waits for a token or a code to expire, in seconds. */
  readonly waitSeconds: number;
  /** The server's name for each scope. Several scopes may share one name. */
  readonly scopes: Readonly<Record<Scope, string>>;
  readonly clients: readonly Client[];
}

/** The URLs of its endpoints that the profile names. */
export function namedUrls(server: AuthorizationServer): string[] {
  const { metadataUrl, authorizationUrl, tokenUrl, jwksUrl } = server;
  return [metadataUrl, authorizationUrl, tokenUrl, jwksUrl].filter((url) => url !== undefined);
}
