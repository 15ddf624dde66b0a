/** What the profile says of one operation that is offered. JSON Pointers are RFC 6901. */
export interface OperationProfile {
  readonly contentType?: string | undefined;
  readonly body?: unknown;
  readonly invalidBody?: unknown;
  readonly paginated?: boolean | undefined;
  readonly items?: string | undefined;
  readonly pagination?: string | undefined;
  readonly organization?: string | undefined;
  readonly id?: string | undefined;
  readonly changeId?: string | undefined;
  /** Sent with it, names in lower case; `${unique}` and `${etag}` stand in their values. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** The deployment writes the path with a slash at its end; told by its document, never by the profile. */
  readonly trailingSlash?: boolean | undefined;
}
