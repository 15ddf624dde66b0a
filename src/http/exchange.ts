import type { OperationId } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";

/** A request as a probe describes it; `path` is sent byte for byte. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, from the root of the origin; or a whole URL, RFC 9112 §3.2.2. */
  readonly path: string;
  /** Field lines in order; a name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  /**
   * By name in lower case, what it carries in place of the client's own `accept`, `user-agent` and
   * `conformance-case`; `undefined`: no such field.
   */
  readonly standing?: Readonly<Record<string, string | undefined>>;
}

/** The `Accept` of every request that names no other. */
export const ACCEPT = "application/json, */*;q=0.5";

/** What the record tells of a token. The token itself is never recorded. */
export interface TokenNote {
  readonly header?: JsonObject | undefined;
  readonly claims?: JsonObject | undefined;
  /** Name of the mutation that the token differs in from a good one; absent for a good one. */
  readonly mutation?: string | undefined;
}

/**
 * Why there is no answer:
 * - `unreachable`: no connection, so that nothing has arrived
 * - `tls`: a connection, but no common ground on it
 * - `timeout`: not the whole answer within the time limit
 * - `reset`: the connection was closed before an answer
 * - `cut`: the connection was closed in the middle of it
 * - `malformed`: what came was not HTTP
 * - `cancelled`: the run was interrupted
 */
export type TransportFault =
  | "unreachable"
  | "tls"
  | "timeout"
  | "reset"
  | "cut"
  | "malformed"
  | "cancelled";

export interface Fault {
  readonly kind: TransportFault;
  readonly message: string;
  /** Of the answer that broke off: it was decided, but whoever decided it did not come to an end. */
  readonly status?: number;
}

/** One request and what came of it, redacted and cut to a size that can be kept. */
export interface Exchange {
  /** Unique in the run, and the same in every run where each case sends one request after the other. */
  readonly id: string;
  /** `<rule id>/<case id>`, or the name of the set-up step. */
  readonly caseId: string;
  /** The operation of which it is a request to the letter: rules about all answers judge its answer. */
  readonly operation?: OperationId | undefined;
  readonly request: {
    readonly method: string;
    readonly url: string;
    readonly headers: readonly (readonly [name: string, value: string])[];
    readonly body?: string | undefined;
    readonly token?: TokenNote | undefined;
  };
  readonly response?: {
    readonly status: number;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
    /** True when the response was longer than what is kept here. */
    readonly truncated: boolean;
  };
  /** Why there is no response. */
  readonly fault?: Fault | undefined;
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** A response as rules judge it: whole up to the size limit, redacted. */
export interface Reply {
  readonly exchange: Exchange;
  /** 0 when there was no response. */
  readonly status: number;
  /** Names in lower case; repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text; made anew whenever it is asked for. */
  readonly body: string;
  /** Whether there is any body. */
  readonly hasBody: boolean;
  /** True when the body was longer than what is read, and `body` is its beginning, or has more parts than are told apart. */
  readonly cut: boolean;
  /** From when until when it was under way, in milliseconds of a clock that never goes back. */
  readonly underWay?: { readonly from: number; readonly to: number };
  /** Sent alone, it had no answer, and the deployment took no connection afterwards. */
  readonly crashed?: boolean;
  /** The body as JSON, parsed when it is asked for, or `undefined` where it is none. Numbers are as they came, texts redacted. */
  json(): unknown;
  /** To be called by whoever holds it for longer than its case: a large body is packed. */
  keep(): void;
}
