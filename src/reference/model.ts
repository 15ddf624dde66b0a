import type { OperationId } from "../contract/operations.ts";
import type { ServerSteps } from "./authorization-server/steps.ts";
import type { Keys } from "./keys.ts";
import type { Refusal } from "./refusal.ts";
import type { Change, Organization, Store } from "./store.ts";

/** One running receiver: what it is configured with, what it holds, and the steps it works by. */
export interface Receiver {
  readonly steps: Steps;
  /** `{base_url}`, which is also the audience; known once the port is. */
  readonly baseUrl: string;
  /** The trusted test issuer, or the one trusted authorization server. */
  readonly issuer: string;
  /** The deployment's own authorization server, where there is one beside the test issuer. */
  readonly own?: { readonly issuer: string; readonly keys: Keys } | undefined;
  /** Full name of the organization-binding claim. */
  readonly bindingClaim: string;
  readonly keys: Keys;
  /** Where the issuer's JWK Set is to be had while a run publishes it. */
  readonly keysUrl: string | undefined;
  readonly store: Store;
}

/** One request to one of the six routes, filled in step by step. */
export interface Call {
  readonly receiver: Receiver;
  readonly operation: OperationId;
  /** Every `Authorization` line of the request, in order. */
  readonly authorization: readonly string[];
  readonly orgId: string | undefined;
  readonly changeId: string | undefined;
  readonly query: Readonly<Record<string, unknown>>;
  /** As it was sent; HEAD takes the route of GET. */
  readonly method: string;
  /** The request target as it arrived: path and query, nothing decoded. */
  readonly url: string;
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  /** The request body, parsed; set after the checks. */
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

/** What goes back: `body` is a JSON value, or text when the headers name another content type. */
export interface Answer {
  readonly status: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: unknown;
}

/** What is done before a request is answered, in this order: the contract's clause "Receiver checks". */
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

/** Throws a Refusal, or lets the call pass to the next check. */
export type Check = (call: Call) => void | Promise<void>;

/** Answers a call that has passed the checks. */
export type Handler = (call: Call) => Answer;

/**
 * All that a receiver does, one small function a step. The server only composes them, and steps call
 * each other through `call.receiver.steps`; so a fault or a variant is another function in one place.
 */
export interface Steps
  extends Readonly<Record<CheckName, Check>>, Readonly<Record<OperationId, Handler>>, ServerSteps {
  /** What the router makes of a request target before it looks for the route. */
  readonly resolveUrl: (url: string) => string;
  /** The operations that there is a route for. */
  readonly offered: () => readonly OperationId[];
  /** The checks that a call goes through, in order. */
  readonly checks: (call: Call) => readonly CheckName[];
  /** The issuer's keys as they are now. */
  readonly issuerKeys: (receiver: Receiver) => Keys | Promise<Keys>;
  readonly rejectionStatus: (check: CheckName) => number;
  /** The receiver's clock, in seconds since the epoch. */
  readonly now: () => number;
  readonly visibleOrganizations: (call: Call) => readonly string[];
  readonly paginate: <Item>(call: Call, items: readonly Item[]) => Page<Item>;
  readonly newChangeId: (store: Store, feed: readonly Change[]) => string | number;
  readonly shape: (content: Page<unknown> | { readonly data: unknown }) => unknown;
  readonly errorBody: (refusal: Refusal) => unknown;
  readonly errorAnswer: (error: unknown, receiver: Receiver) => Answer;
  /** Answers a request that no route takes, or throws. */
  readonly unknownRoute: (stray: Stray, receiver: Receiver) => Answer;
  readonly finish: (answer: Answer, receiver: Receiver, call?: Call) => Answer;
  readonly encode: (answer: Answer) => WireAnswer;
  /** What it serves as its own OpenAPI document. */
  readonly document: (receiver: Receiver) => OpenApiObject;
}

/** One page of a collection. */
export interface Page<Item> {
  readonly items: readonly Item[];
  /** PaginatedResultsInfo; absent where the route is not paginated. */
  readonly paginationInfo?: {
    readonly page: number;
    readonly pageSize: number;
    readonly totalItems: number;
    readonly totalPages: number;
  };
}

/** What goes over the wire. */
export interface WireAnswer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly payload: string | Buffer | undefined;
}

/** A request that no route takes. */
export interface Stray {
  readonly method: string;
  /** As it arrived, with the query. */
  readonly url: string;
  /** Methods that the path could be asked with; none where it is no route at all. */
  readonly allow: readonly string[];
  /** Names in lower case. */
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: unknown;
}

/** An OpenAPI document as an object. */
export type OpenApiObject = Readonly<Record<string, unknown>>;
