import type { OperationId } from "../../contract/operations.ts";
import type { ProfileObject } from "../profile.ts";
import type { Patch } from "../steps.ts";

/** What can be settled in one way only, so that two ways make no receiver. */
type Freedom =
  | "algorithms"
  | "binding"
  | "clock"
  | "edit"
  | "envelope"
  | "grant"
  | "pages"
  | "skew"
  | "statuses"
  | "submission"
  | "totals"
  | "typ";

/** A freedom that the contract leaves, used: other functions in place of some steps. Nothing is wrong with it. */
export interface Variant {
  /** Unique, kebab-case. */
  readonly name: string;
  /** What this receiver does differently, in one line. */
  readonly title: string;
  readonly patches: readonly Patch[];
  /** It is one of the authorization server, which stands beside the receiver then. Default: false. */
  readonly server?: boolean;
  /** It fetches the test issuer's keys by URL, from where the run publishes them. Default: false. */
  readonly served?: boolean;
  /** The receiver's document, as it is or as the patches make it, is true of it. Default: no profile names one. */
  readonly documented?: boolean;
  /** What must be said otherwise in the receiver's profile. */
  readonly describe?: (profile: ProfileObject) => ProfileObject;
  /** The rules that warn of it: what the contract allows and some RFC advises against. Default: none. */
  readonly warned?: readonly string[];
  /** The freedoms that it uses up: variants with one in common are not combined. Default: none. */
  readonly uses?: readonly Freedom[];
}

/**
 * The profile without some keys of its operations.
 * @param only the one operation to leave them out of; default: all
 */
export function without(
  profile: ProfileObject,
  keys: readonly string[],
  only?: OperationId,
): ProfileObject {
  const operations = Object.entries(profile["operations"] as Record<string, ProfileObject>);
  const shortened = operations.map(([id, operation]) => [
    id,
    only === undefined || id === only
      ? Object.fromEntries(Object.entries(operation).filter(([key]) => !keys.includes(key)))
      : operation,
  ]);
  return { ...profile, operations: Object.fromEntries(shortened) };
}

/** The profile with something else, or something more, to say of one operation. */
export function withOperation(
  profile: ProfileObject,
  id: OperationId,
  operation: ProfileObject,
): ProfileObject {
  const operations = profile["operations"] as Record<string, ProfileObject>;
  return { ...profile, operations: { ...operations, [id]: operation } };
}
