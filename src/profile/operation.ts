/** The profile of one offered operation. JSON Pointers are RFC 6901. */
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
  /** Header fields of its requests, names in lower case; with `${unique}` and `${etag}`. */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Whether the path ends with a slash, as `path` of the profile or the deployment's document says. */
  readonly trailingSlash?: boolean | undefined;
}
