import type { OperationId } from "../contract/operations.ts";
import type { JsonObject } from "../lib/json.ts";

/** A trusted authorization server. */
export interface KnownIssuer {
  /** Its `iss`. */
  readonly url: string;
  /** The public keys of its JWKS; `undefined`: not known. */
  readonly keys: readonly JsonObject[] | undefined;
}

/** What a subject may or may not do. */
export interface Access {
  readonly subject: string;
  /** Absent: on every organization. */
  readonly organization?: string | undefined;
  /** Absent: with every operation. */
  readonly operations?: readonly OperationId[] | undefined;
}

/** What is known of one offered operation. */
export interface KnownOperation {
  /** Whether it takes `page` and `pageSize`; `undefined`: not known. */
  readonly paginated?: boolean | undefined;
  readonly trailingSlash?: boolean | undefined;
  /** A body that is good, as text with `${unique}` where each request has a text of its own. */
  readonly body?: string | undefined;
  readonly contentType?: string | undefined;
  /** A body that is JSON and invalid, as text. */
  readonly invalidBody?: string | undefined;
}

/** All that is known of a deployment when the model is asked. `undefined` always means: not known. */
export interface Known {
  /** The path of the base URL, without a slash at its end. */
  readonly basePath: string;
  /** The receiver's own base URL, as tokens must name it. */
  readonly audience: string | undefined;
  readonly issuers: readonly KnownIssuer[] | undefined;
  /** The algorithms that the deployment says it supports; `undefined`: not known. */
  readonly algorithms?: readonly string[] | undefined;
  /** Full name of the organization-binding claim. */
  readonly bindingClaim: string | undefined;
  /** The values of `typ` with which tokens are accepted; `undefined` in the list stands for none. */
  readonly typs: readonly (string | undefined)[];
  readonly operations: Readonly<Partial<Record<OperationId, KnownOperation>>>;
  /** Names of further claims and header fields of every good request, which the deployment may insist on. */
  readonly ownClaims: readonly string[];
  readonly ownFields: readonly string[];
  readonly policy: {
    /** A denial counts more than a permission. */
    readonly allowed: readonly Access[];
    readonly denied: readonly Access[];
    /** Whether whoever is not named may act nowhere. Default: not known. */
    readonly othersDenied?: boolean | undefined;
  };
  readonly organizations: {
    readonly existing: readonly string[];
    /** Whether there are no others. */
    readonly complete: boolean;
  };
  readonly changes: {
    readonly existing: readonly { readonly organization: string; readonly id: string }[];
    readonly complete: boolean;
  };
  /** The moment of the request by the receiver's clock, in seconds since the epoch, as far as it is known. */
  readonly now: { readonly earliest: number; readonly latest: number };
  /** The measured clock skew that the receiver allows in its check of `exp`, in seconds. */
  readonly skewSeconds?: number | undefined;
}
