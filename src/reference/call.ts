import type { OperationId } from "../contract/operations.ts";
import type { Keys } from "./keys.ts";
import type { CheckName, Steps } from "./steps.ts";
import type { Organization, Store } from "./store.ts";

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

/** One entry of `errors` in an Error body, as the contract's ApplicationSubmissionError shows it. */
export interface FieldError {
  readonly field: string;
  readonly message: string;
}

/** A request that is answered with an Error body; thrown by any step. */
export class Refusal extends Error {
  readonly status: number;
  readonly errors: readonly FieldError[];
  readonly headers: Readonly<Record<string, string>>;

  constructor(
    status: number,
    message: string,
    more: { errors?: readonly FieldError[]; headers?: Readonly<Record<string, string>> } = {},
  ) {
    super(message);
    this.status = status;
    this.errors = more.errors ?? [];
    this.headers = more.headers ?? {};
  }
}

/** The refusal of a call by one of the receiver's checks, with the status that `rejectionStatus` gives it. */
export function reject(call: Call, check: CheckName, message: string): Refusal {
  return new Refusal(call.receiver.steps.rejectionStatus(check), message);
}
