import type { ProfileObject } from "./profile.ts";
import type { Patch } from "./steps.ts";

/** A freedom that the contract leaves, used: other functions in place of some steps. Nothing is wrong with it. */
export interface Variant {
  /** Unique, kebab-case. */
  readonly name: string;
  /** What this receiver does differently, in one line. */
  readonly title: string;
  readonly patches: readonly Patch[];
  /** The receiver's document, as it is or as the patches make it, is true of it. Default: no profile names one. */
  readonly documented?: boolean;
  /** What must be said otherwise in the receiver's profile. */
  readonly describe?: (profile: ProfileObject) => ProfileObject;
}

/** The profile without some keys of its operations. */
export function without(profile: ProfileObject, keys: readonly string[]): ProfileObject {
  const operations = Object.entries(profile["operations"] as Record<string, ProfileObject>);
  const shortened = operations.map(([id, operation]) => [
    id,
    Object.fromEntries(Object.entries(operation).filter(([key]) => !keys.includes(key))),
  ]);
  return { ...profile, operations: Object.fromEntries(shortened) };
}
