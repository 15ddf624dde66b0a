import type { Socket } from "node:net";

import type { OperationId } from "../contract/operations.ts";
import type { ServerSteps } from "./authorization-server/steps.ts";
import type { Keys } from "./keys.ts";
import type { FieldError, Refusal } from "./refusal.ts";
import type { Change, Organization, Store } from "./store.ts";

/** One running receiver: its configuration, its data, and its steps. */
export interface Receiver {
  readonly steps: Steps;
  /** `{base_url}`, which is also the audience. Known once the port is. */
  readonly baseUrl: string;
  /** The trusted test issuer, or the one trusted authorization server. */
  readonly issuer: string;
  /** The deployment's own authorization server, if it has one beside the test issuer. */
  readonly own?: { readonly issuer: string; readonly keys: Keys } | undefined;
  /** Full name of the organization-binding claim. */
  readonly bindingClaim: string;
  readonly keys: Keys;
  /** The URL of the issuer's JWK Set while a run publishes it. */
  readonly keysUrl: string | undefined;
  readonly store: Store;
  /** By which it fetches what a token or its configuration names. */
  readonly fetch: typeof fetch;
}

/** One request to one of the six routes. The steps fill it in. */
export interface Call {
  readonly receiver: Receiver;
  readonly operation: OperationId;
  /** Every `Authorization` line of the request, in order. */
  readonly authorization: readonly string[];
  readonly orgId: string | undefined;
  readonly changeId: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** As it was sent; HEAD uses the route of GET. */
  readonly method: string;
  /** The request target as received: path and query, not decoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The connection that carried the request. */
  readonly connection: Socket;
  /** The parsed request body; set after the checks. */
  body: unknown;
  /** Set by `readCredentials`. */
  token: string | undefined;
  /** The JOSE header, set by `verifySignature`. */
  header: Readonly<Record<string, unknown>>;
  /** The claims, set by `verifySignature`; empty before. */
  claims: Readonly<Record<string, unknown>>;
  /** The organization of the path, set by `findOrganization`. */
  organization: Organization | undefined;
}

/** An answer: `body` is a JSON value, or text if the headers name another content type. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** The checks before a request is answered, in the order of the clause "Receiver checks". */
export const CHECK_NAMES = [
  "readCredentials",
  "verifySignature",
  "checkType",
  "checkIssuer",
  "checkAudience",
  "checkExpiry",
  "checkRequiredClaims",
  "checkScope",
  "checkBinding",
  "applyPolicy",
  "findOrganization",
] as const;

export type CheckName = (typeof CHECK_NAMES)[number];

/** Throws a Refusal, or passes the call to the next check. */
export type Check = (call: Call) => void | Promise<void>;

/** Answers a call that has passed the checks. */
export type Handler = (call: Call) => Answer;

/**
 * Everything that a receiver does, one small function for each step. The server only composes them, and
 * steps call each other through `call.receiver.steps`, so that a fault or a variant replaces one function
 * in one place.
 */
export interface Steps
  extends Readonly<Record<CheckName, Check>>, Readonly<Record<OperationId, Handler>>, ServerSteps {
  /** Transforms a request target before the router looks for the route. */
  readonly resolveUrl: (url: string) => string;
  /** The operations with a route. */
  readonly offered: () => readonly OperationId[];
  /** The checks for a call, in order. */
  readonly checks: (call: Call) => readonly CheckName[];
  /** The issuer's current keys. */
  readonly issuerKeys: (receiver: Receiver) => Keys | Promise<Keys>;
  readonly rejectionStatus: (check: CheckName) => number;
  /** The receiver's clock, in seconds since the epoch. */
  readonly now: () => number;
  readonly visibleOrganizations: (call: Call) => readonly string[];
  readonly isIdentified: (
    organization: Organization | undefined,
    wanted: Readonly<Record<"registry" | "id", unknown>>,
  ) => boolean;
  readonly paginate: <Item>(call: Call, items: readonly Item[]) => Page<Item>;
  /** What a merge patch makes of an organization. */
  readonly merge: (organization: Organization, patch: MergePatch) => Organization;
  /** What is wrong with the body of a write to the organization with an id. */
  readonly patchErrors: (body: unknown, id: string) => FieldError[];
  /** The change that a write is recorded as. */
  readonly revision: (change: Change, call: Call) => Change;
  readonly newChangeId: (store: Store, feed: readonly Change[]) => string | number;
  readonly shape: (content: Content) => unknown;
  readonly errorBody: (refusal: Refusal) => unknown;
  readonly errorAnswer: (error: unknown, receiver: Receiver) => Answer;
  /** Answers a request that matches no route, or throws. */
  readonly unknownRoute: (unmatched: UnmatchedRequest, receiver: Receiver) => Answer;
  readonly finish: (answer: Answer, receiver: Receiver, call?: Call) => Answer;
  readonly encode: (answer: Answer) => WireAnswer;
  /** The receiver's own OpenAPI document. */
  readonly document: (receiver: Receiver) => OpenApiObject;
}

/** A merge patch, RFC 7396. */
export type MergePatch = Readonly<Record<string, unknown>>;

/** One page of a collection. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** PaginatedResultsInfo; absent when the route is not paginated. */
  readonly paginationInfo?: {
    readonly page: number;
    readonly pageSize: number;
    readonly totalItems: number;
    readonly totalPages: number;
  };
}

/** What a good answer holds. */
export type Content = Success & (Page<unknown> | { readonly data: unknown });

/** What every good answer has beside a page or an object. Patches may leave it out. */
export interface Success {
  readonly status?: number;
  readonly message?: string;
}

/** An answer as sent over the network. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
}

/** A request that matches no route. */
export interface UnmatchedRequest {
  readonly method: string;
  /** As received, with the query. */
  readonly url: string;
  /** Methods that the path supports; empty for an unknown path. */
  readonly allow: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** An OpenAPI document as an object. */
export type OpenApiObject = Readonly<Record<string, unknown>>;
