import type { JWK } from "jose";

/** Differences between the servers of various makers. */
export interface Habits {
  /** The issuer ends in a slash, as Auth0's does. */
  readonly slash?: boolean;
  /** All registered scopes are granted, and the response does not state them if they are the requested ones. */
  readonly grantsAll?: boolean;
  /** Scopes that were not requested are granted too, and `aud` contains `account`, as Keycloak's does. */
  readonly defaults?: boolean;
  /** Requested scopes have this prefix, as Cognito's do. */
  readonly prefix?: string;
  /** A failed exchange revokes the code. */
  readonly burns?: boolean;
  /** Authorization requests must be pushed, RFC 9126, and the metadata says so, or does not. FAULT: it only says so. */
  readonly pushed?: "required" | "unsaid" | "only said";
  /** FAULT: a request may be pushed without the client's secret. */
  readonly openPush?: boolean;
  /** The client `web` may use client credentials too. */
  readonly bothFlows?: boolean;
  /** Every authorization request is answered with 429. */
  readonly busy?: boolean;
  /** The login comes before any check of the request. */
  readonly loginFirst?: boolean;
  /** It gives an ID token as well, signed with the same key: for the client, or with all that a receiver checks. */
  readonly idTokens?: boolean | "for the receiver" | undefined;
  /** The scopes of changes have the names of the other two, and are granted with them. */
  readonly sharedNames?: boolean;
  /** Tokens and responses have the server's words for scopes, with `prefix` before them. */
  readonly ownWords?: boolean;
  /** It gives refresh tokens too. FAULT: whoever refreshes one gets all the registered scopes that it asks for. */
  readonly refresh?: "as consented" | "as asked";
  /** A request without scopes gets all, and the response states them only if they differ from the request. */
  readonly defaultsUnsaid?: boolean;
  /** Paths that it does not know are answered by 200 and a JSON object. */
  readonly answersEverything?: boolean;
  /** The login and the error page are on another origin. */
  readonly pagesElsewhere?: boolean;
  /** Who sends a request; `undefined` where it is not authenticated. Default: by the one secret. */
  readonly authenticates?: (
    form: URLSearchParams,
    basic: string | undefined,
    issuer: string,
  ) => string | undefined | Promise<string | undefined>;
  /** FAULT: changes the claims of an access token. */
  readonly claims?: (claims: Record<string, unknown>, flow: string) => object;
  /** FAULT: changes the metadata, or each published key. */
  readonly metadata?: (metadata: Record<string, unknown>) => object;
  readonly publishedKey?: object | ((key: JWK) => object);
  /** It publishes these keys too, before its own. */
  readonly furtherKeys?: readonly JWK[];
  /** FAULT: a code is good for every client that authenticates, if the request names the code's client. */
  readonly codesByName?: boolean;
  /** FAULT: a refresh token is good without the client's secret. */
  readonly openRefresh?: boolean;
  /** A refresh token is replaced when it is used. FAULT, if the client has no secret: it is not. */
  readonly rotates?: boolean;
  /** A refresh token is good once, and gives no other one. */
  readonly refreshesOnce?: boolean;
  /** Makes a refresh token. Default: 128 random bits. */
  readonly refreshToken?: () => string;
  /** FAULT: the scopes of what is not known as a refresh token, if it is taken for one nevertheless. */
  readonly refreshesOther?: (
    given: string,
    known: ReadonlyMap<string, string>,
  ) => string | undefined;
  /** FAULT: a challenge without a method is ignored. */
  readonly methodNeeded?: boolean;
  /** FAULT: changes the redirect that brings a code. */
  readonly redirect?: (to: URL) => string;
  /** Makes a code. Default: 128 random bits. */
  readonly code?: () => string;
  /** FAULT: only these tokens have the right audience. A token without scopes need not have it. */
  readonly audienceFor?: (flow: string, asked: string) => boolean;
  /** FAULT: a registered redirect URI may be at any host, or at any path; the login may come first. */
  readonly anyHost?: boolean;
  readonly anyPath?: boolean;
  /** FAULT: how the redirect URI of a token request is compared with the one of the authorization request. */
  readonly sameUri?: (given: string, wanted: string) => boolean;
  /** FAULT: how the hash of a verifier is compared with the challenge. */
  readonly sameHash?: (hash: string, challenge: string) => boolean;
  /** FAULT: errors go back to the registered redirect URI at once, before the requested one is looked at. */
  readonly errorsFirst?: boolean;
  /** Members of the header of a token that differ. */
  readonly header?: Readonly<Record<string, string | undefined>>;
  /** The JWKS has a key that verifies no token, with the `kid` "other". */
  readonly otherKey?: boolean;
  /** The scopes of a response are in another order each time. */
  readonly anyOrder?: boolean;
  /** A response has no `scope`. */
  readonly silent?: boolean;
  /** The status of an answer to a token request that is not looked at, by its form and its Basic credentials. */
  readonly instead?: (form: URLSearchParams, basic: string | undefined) => number | undefined;
  /** `Retry-After` of every answer with status 429. */
  readonly retryAfter?: string;
  /** Lifetime of a token in seconds; default 300. */
  readonly lifetime?: number;
  /** Redirect URIs are compared in any case, as Duende's are. */
  readonly anyCase?: boolean;
  /** A registered client gets its code at once: the person is signed in and has consented before. */
  readonly asksNobody?: boolean;
  /** After the first consent only the login is shown, unless the request has `prompt=consent`. */
  readonly remembersConsent?: boolean;
  /** A script's request for a page is answered by JSON, as better-auth's are. */
  readonly jsonToScripts?: boolean;
  /** FAULT: the media type of the metadata. */
  readonly metadataType?: string;
  /** Each refusal of a token request has it. */
  readonly errorDescription?: unknown;
  /** FAULT: a refused consent is told to the requested redirect URI, whatever it is. */
  readonly refusalAnywhere?: boolean;
  /** After a refused consent, the server shows its own page. */
  readonly refusalPage?: boolean;
  /** Changes the redirect after a refused consent. FAULT, unless `error` and `state` stay. */
  readonly refusal?: (redirect: URLSearchParams) => void;
  /** FAULT: a code can be used twice. */
  readonly codesTwice?: boolean;
  /** FAULT: the verifier is not checked. */
  readonly noPkce?: boolean;
  /** FAULT: a challenge is deleted when it is compared, and a code without one needs no verifier. */
  readonly comparesOnce?: boolean;
  /** FAULT: the verifier is checked with the latest challenge, whatever the code. */
  readonly latestChallenge?: boolean;
  /** The one client that has the faults `anyPath` and `noPkce`. Default: each. */
  readonly laxFor?: string;
}
