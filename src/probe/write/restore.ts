import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { contentOf, isObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { organizationOf } from "../read/shapes.ts";

/** Undoes edits whose meaning the contract does not show, by sending what the view showed before. */

/** A member of a request body that is not an object itself. */
export interface Leaf {
  /** Names from the root of the body. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The members that a body of the profile sets; empty where it is not a JSON object. */
export function leavesOf(body: unknown): Leaf[] {
  const content = contentOf(body);
  return isObject(content) ? leavesBelow(content, []) : [];
}

function leavesBelow(value: unknown, path: readonly string[]): Leaf[] {
  if (!isObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesBelow(member, [...path, name]));
}

/** The answer of a view, and its context. */
export interface View {
  readonly body: unknown;
  readonly profile: OperationProfile | undefined;
  /** The requested organization. */
  readonly asked: string | undefined;
}

/**
 * The value that a view shows for a member of a body: in the organization, with or without the body's
 * wrapper, or at the same place in the whole answer. `undefined` where it shows none.
 */
export function priorValue(view: View, { path }: Leaf): unknown {
  const { body, profile, asked } = view;
  const organization = organizationOf(body, profile, asked);
  const attributes = isObject(organization) ? organization["attributes"] : undefined;
  const places: readonly (readonly [unknown, readonly string[]])[] = [
    [organization, path],
    [attributes, path],
    [body, path],
    [organization, path.slice(1)],
  ];
  for (const [root, names] of places) {
    const value = names.length === 0 ? undefined : atPointer(root, pointer(names));
    if (value !== undefined) return value;
  }
  return undefined;
}

/**
 * The body that sets members back to the values of a view. A member that the view did not show is
 * removed where the body is a merge patch (RFC 7396: null), otherwise left out. Members that are the
 * same in every edit stay.
 * @returns `undefined` where there is nothing to set back
 */
export function restoringBody(body: unknown, contentType: string | undefined, view: View): unknown {
  const removes = /^application\/merge-patch\+json\b/i.test(contentType ?? "");
  const restored: Record<string, unknown> = {};
  let count = 0;
  for (const leaf of leavesOf(body)) {
    const prior = priorValue(view, leaf);
    const varies = JSON.stringify(leaf.value).includes("${unique}");
    if (prior === undefined && varies && !removes) continue;
    if (prior !== undefined || varies) count += 1;
    setAt(restored, leaf.path, prior ?? (varies ? null : leaf.value));
  }
  return count > 0 ? restored : undefined;
}

/** Sets the value at a path of names, and makes the objects on the way. Objects that are there are copied. */
export function setAt(
  root: Record<string, unknown>,
  path: readonly string[],
  value: unknown,
): void {
  const [name, ...rest] = path;
  if (name === undefined) return;
  if (rest.length === 0) {
    root[name] = value;
    return;
  }
  const known = root[name];
  const child: Record<string, unknown> = isObject(known) ? { ...known } : {};
  setAt(child, rest, value);
  root[name] = child;
}

function pointer(names: readonly string[]): string {
  return names.map((name) => `/${pointerToken(name)}`).join("");
}

/** The members of an organization that have lost their value, if both answers show it. */
export function lostMembers(before: View, after: View): string[] | undefined {
  const [then, now] = [before, after].map(({ body, profile, asked }) =>
    organizationOf(body, profile, asked),
  );
  if (!isObject(then) || !isObject(now)) return undefined;
  return Object.keys(then).filter((name) => !isEmpty(then[name]) && isEmpty(now[name]));
}

/** The names of an organization's members that it did not have before. */
export function addedMembers(before: unknown, after: unknown): string[] {
  if (!isObject(before) || !isObject(after)) return [];
  return Object.keys(after).filter((name) => !Object.hasOwn(before, name));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
