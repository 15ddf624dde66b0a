import { isDeepStrictEqual } from "node:util";

import { canonicalJson, isObject, type JsonObject } from "../../../src/lib/json.ts";
import { isEntry, isNamed, placeOf, PROFILE_NAMES } from "./members.ts";
import { isEmpty, mergePatch } from "./merge.ts";

/** Compares a profile before and after a patch, member by member, with what RFC 7396 makes of it. */

/**
 * What a patch does to a member:
 * - `set`: it gives it a value, or an `array`
 * - `removed`: it has null for it; `entry`: of a record
 * - `kept`: it does not name it; `merged`: in an object that it names
 */
export type Duty = "set" | "array" | "removed" | "entry" | "kept" | "merged";

/** One member after a patch. */
export interface Outcome {
  readonly path: readonly string[];
  readonly duty: Duty;
  readonly expected: unknown;
  readonly actual: unknown;
  readonly isRight: boolean;
}

/** What a deployment may work out of its neighbours, so that it need not stay as it was. */
const DERIVED: ReadonlySet<string> = new Set([
  "latitude",
  "longitude",
  "geography",
  "allIds",
  "registry",
]);

/**
 * The members that a patch names or must leave alone, as far as they can be judged: members of the published profile that had a
 * value before or get one. What the server owns, and members that nobody published, are left out.
 * @param stores whether the deployment stores the member at a place; see `placeOf`
 */
export function outcomesOf(
  before: JsonObject,
  patch: JsonObject,
  after: JsonObject,
  stores: (place: string) => boolean,
): Outcome[] {
  const found: Outcome[] = [];
  const model = mergePatch(before, patch);
  compare([], before, { is: patch }, model, after);
  return found;

  function compare(
    path: readonly string[],
    old: unknown,
    asked: { readonly is: unknown } | undefined,
    expected: unknown,
    actual: unknown,
  ): void {
    const inside = asked === undefined || isObject(asked.is);
    if (inside && [old, expected, actual].some(isObject)) {
      const names = path.length === 0 ? PROFILE_NAMES : namesOf(old, expected, actual, asked?.is);
      for (const name of names) {
        const below = memberOf(asked?.is, name);
        // Only what stands beside something that changes is worked out anew.
        if (
          below === undefined &&
          asked !== undefined &&
          path.length > 0 &&
          mayFollow([...path, name])
        )
          continue;
        compare(
          [...path, name],
          memberOf(old, name)?.is,
          below,
          memberOf(expected, name)?.is,
          memberOf(actual, name)?.is,
        );
      }
      return;
    }
    const duty = dutyOf(path, asked, patch);
    const isKnown =
      asked === undefined ? !isEmpty(old) : stores(placeOf(path)) || asked.is === null;
    if (!isKnown) return;
    found.push({ path, duty, expected, actual, isRight: isSame(expected, actual) });
  }
}

/** Whether a member may follow from what stands beside it: it is derived, or nobody published it. */
function mayFollow(path: readonly string[]): boolean {
  return DERIVED.has(path.at(-1) ?? "") || !isNamed(path);
}

function dutyOf(
  path: readonly string[],
  asked: { readonly is: unknown } | undefined,
  patch: JsonObject,
): Duty {
  if (asked === undefined) {
    return path.length > 1 && Object.hasOwn(patch, path[0] ?? "") ? "merged" : "kept";
  }
  if (asked.is === null) return isEntry(path) ? "entry" : "removed";
  return Array.isArray(asked.is) ? "array" : "set";
}

/** Whether a deployment stores a value: it may trim it, normalise it, and store an array as a set or sorted. */
export function isSame(sent: unknown, shown: unknown): boolean {
  if (isEmpty(sent) || isEmpty(shown)) return isEmpty(sent) && isEmpty(shown);
  if (Array.isArray(sent) && Array.isArray(shown)) {
    const [a, b] = [sent, shown].map((all) => [...new Set(all.map(plain))].toSorted());
    return isDeepStrictEqual(a, b);
  }
  if (isObject(sent) && isObject(shown)) {
    return namesOf(sent, shown).every((name) => isSame(sent[name], shown[name]));
  }
  return plain(sent) === plain(shown);
}

/** A value in one form of several that mean the same. */
function plain(value: unknown): string {
  if (typeof value !== "string") return canonicalJson(value);
  const text = value.trim().normalize("NFC");
  const host = text.includes("@") && !text.includes("/") ? text.lastIndexOf("@") : text.length;
  return JSON.stringify(text.slice(0, host) + text.slice(host).toLowerCase());
}

function memberOf(value: unknown, name: string): { readonly is: unknown } | undefined {
  return isObject(value) && Object.hasOwn(value, name) ? { is: value[name] } : undefined;
}

function namesOf(...values: readonly unknown[]): string[] {
  return [...new Set(values.filter(isObject).flatMap((value) => Object.keys(value)))];
}
