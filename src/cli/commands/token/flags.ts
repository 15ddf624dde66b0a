import type { JsonObject } from "../../../lib/json.ts";
import type { EditedToken } from "../../../tokens/edited.ts";

/** What is given to `token`, as its options are read. */
export interface TokenFlags {
  readonly profile?: string;
  /** Which of the changes of a case, where it makes several. */
  readonly mutation?: string;
  readonly operation?: string;
  readonly organization?: string;
  readonly unbound?: boolean;
  readonly typ: "JWT" | "at+jwt" | "none";
  readonly allowBundledKeys?: boolean;
  readonly list?: boolean;
  readonly client?: string;
  /** The whole claims and header of a token, as JSON, and who signs them. */
  readonly claims?: JsonObject;
  readonly header?: JsonObject;
  readonly key?: EditedToken["key"];
  /** Whether nothing but the token is printed. */
  readonly quiet?: boolean;
  /** Whether the profile is somebody else's. */
  readonly untrusted?: boolean;
  /** The environment variables that such a profile may use. */
  readonly env?: readonly string[];
}
