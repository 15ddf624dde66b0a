import type { OperationId } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";

/** A request as a probe describes it. `path` is sent byte for byte. */
export interface HttpRequest {
  readonly method: string;
  /** Path and query, from the root of the origin; or a whole URL, RFC 9112 §3.2.2. */
  readonly path: string;
  /** Field lines in order. A name may occur more than once. */
  readonly headers: readonly (readonly [name: string, value: string])[];
  readonly body?: string | undefined;
  /** How the body is encoded; `latin1`: each character is one byte, for a body that is not UTF-8. Default: UTF-8. */
  readonly bodyEncoding?: "latin1";
  /**
   * Replacements for the client's own `accept`, `user-agent` and `conformance-case`, by name in lower
   * case. `undefined` removes the field.
   */
  readonly standing?: Readonly<Record<string, string | undefined>>;
  /** Requests that name the same connection share one, which no other request uses. */
  readonly connection?: string;
}

/** The `Accept` field of every request that sets no other. */
export const ACCEPT = "application/json, */*;q=0.5";

/** What the record shows of a token. It never holds the token itself. */
export interface TokenNote {
  readonly header?: JsonObject | undefined;
  readonly claims?: JsonObject | undefined;
  /** Name of the mutation that makes the token differ from a good one. Absent for a good token. */
  readonly mutation?: string | undefined;
}

/**
 * Why there is no response:
 * - `unreachable`: no connection, so the target received nothing
 * - `tls`: the TLS handshake failed
 * - `timeout`: the whole response did not arrive within the time limit
 * - `reset`: the connection was closed before a response
 * - `cut`: the connection was closed during the response
 * - `malformed`: the response was not HTTP
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

/** The body of an incomplete response. */
export interface IncompleteBody {
  readonly arrived: number;
  /** Bytes that `Content-Length` announces. */
  readonly announced?: number;
}

/** Why there is no complete response. */
export interface Fault {
  readonly kind: TransportFault;
  readonly message: string;
  /** The status of an incomplete response: the target decided, but did not finish its response. */
  readonly status?: number;
  /** What arrived of the body. Set together with `status`. */
  readonly body?: IncompleteBody;
}

/**
 * What was removed:
 * - `secret`: a secret of the profile or its environment, or a credential that the run sent or got
 * - `part of a secret`: eight characters or more of a secret of the profile or its environment
 * - `token`: a text that looks like a compact token, whoever it belongs to
 * - `credential`: the value of a field, or a body, that holds a credential
 * - `unclear`: a text whose encodings are nested too often to be searched
 */
export type RedactedKind = "secret" | "part of a secret" | "token" | "credential" | "unclear";

/** What was removed from an exchange, and where. */
export interface Redaction {
  /** `request.url`, `request.headers.<name>`, `response.headers` for a name, `response.body` and so on. */
  readonly place: string;
  readonly kind: RedactedKind;
}

/** One request and its response, redacted and cut to a size that can be kept. */
export interface Exchange {
  /** Unique in the run, and the same in every run whose cases send one request after the other. */
  readonly id: string;
  /** `<rule id>/<case id>`, or the name of the set-up step. */
  readonly caseId: string;
  /** The operation, where the request is exactly one of it. Rules about all responses judge these. */
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
    /** True when the body is not in the coding that `Content-Encoding` names. It is kept as it came. */
    readonly undecoded?: true;
    /** What the record shows of the access token that an authorization server issued. */
    readonly token?: Pick<TokenNote, "header" | "claims"> | undefined;
  };
  /** Why there is no response. */
  readonly fault?: Fault | undefined;
  /** What was removed from the record. Rules judged the answer before that. Default: nothing. */
  readonly redactions?: readonly Redaction[];
  /** ISO 8601. */
  readonly startedAt: string;
  readonly durationMs: number;
}

/** While a request was under way. */
export interface UnderWay {
  /** When it was sent and when its answer came, in milliseconds of a clock that never goes back. */
  readonly from: number;
  readonly to: number;
  /** How long the suite did nothing but wait in that time, in milliseconds. */
  readonly idleMs: number;
  /** The other requests that were under way when it was sent. */
  readonly others: number;
}

/**
 * A response as rules judge it: as it came, and complete up to the size limit. Only `exchange` is redacted; what rules
 * say of the rest is redacted when it is emitted.
 */
export interface Reply {
  readonly exchange: Exchange;
  /** 0 when there was no response. */
  readonly status: number;
  /** The code of the error where there was no response: one of Node, undici or OpenSSL, or `ANSWERED_IN_<protocol>`. */
  readonly faultCode?: string;
  /** Names in lower case; repeated fields joined by a comma. */
  readonly headers: Readonly<Record<string, string>>;
  /** The body as text. It is decoded on each access. */
  readonly body: string;
  readonly hasBody: boolean;
  /** True when the body is not in the coding that `Content-Encoding` names. Then it is not JSON either. */
  readonly undecoded?: true;
  /** Whether the body is UTF-8. In `body` and `json()`, other bytes are replacement characters. */
  readonly isUtf8: boolean;
  /** True when `body` is only the beginning, or when the JSON has too many parts to be parsed. */
  readonly cut: boolean;
  readonly underWay?: UnderWay;
  /** The request was sent again because the deployment would not answer it beside others, or asked to wait. */
  readonly deferred?: boolean;
  /** No response came though nothing else was under way; connections were refused then. */
  readonly crashed?: boolean;
  /** It is the reply of an earlier try, and nothing was sent this time; see `SpentRequests`. */
  readonly spent?: boolean;
  /** The body parsed as JSON, or `undefined` where it is not JSON. */
  json(): unknown;
  /** Packs a large body. Call it to keep the reply for longer than its case. */
  keep(): void;
}
