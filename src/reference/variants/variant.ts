import type { OperationId } from "../../contract/operations.ts";
import type { ProfileObject } from "../profile.ts";
import type { Patch } from "../steps.ts";

/** A choice that can be made in only one way: variants that share one cannot be combined. */
type Freedom =
  | "algorithms"
  | "audience"
  | "binding"
  | "clients"
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

/** A conforming variant of the receiver: other steps, by a freedom that the contract leaves. */
export interface Variant extends Patch {
  /** Unique, kebab-case. */
  readonly name: string;
  /** What this receiver does differently, in one line. */
  readonly title: string;
  /** It is a variant of the authorization server, which then runs beside the receiver. Default: false. */
  readonly server?: boolean;
  /** Whether keys are fetched from the URL where the run publishes them. Default: false. */
  readonly served?: boolean;
  /** The receiver's document describes it correctly, as it is or after the patch. Default: no profile names the document. */
  readonly documented?: boolean;
  readonly describe?: (profile: ProfileObject) => ProfileObject;
  /** The rules that warn about it, because an RFC advises against it. Default: none. */
  readonly warned?: readonly string[];
  /** The freedoms that it uses: variants with one in common are not combined. Default: none. */
  readonly uses?: readonly Freedom[];
}

/** Variants by name, in the order in which they are listed. */
export type Variants = Readonly<Record<string, Omit<Variant, "name">>>;

/**
 * The profile without some keys of its operations.
 * @param only the operation to omit them from; default: all
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

/** The profile with other keys for one operation. */
export function withOperation(
  profile: ProfileObject,
  id: OperationId,
  change: (operation: ProfileObject) => ProfileObject,
): ProfileObject {
  const operations = profile["operations"] as Record<string, ProfileObject>;
  return { ...profile, operations: { ...operations, [id]: change(operations[id] ?? {}) } };
}
