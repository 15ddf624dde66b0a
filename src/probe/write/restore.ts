import { atPointer, pointerToken } from "../../lib/json-pointer.ts";
import { isObject } from "../../lib/json.ts";
import type { OperationProfile } from "../../profile/operation.ts";
import { organizationOf } from "../read/shapes.ts";

/** Undoing edits whose meaning the contract does not show: by sending what the view showed before. */

/** A member of a request body that is not an object itself. */
export interface Leaf {
  /** Names from the root of the body. */
  readonly path: readonly string[];
  readonly value: unknown;
}

/** The members that a body of the profile sets; none where it is no JSON object. */
export function leavesOf(body: unknown): Leaf[] {
  const content = typeof body === "string" ? parsed(body) : body;
  return isObject(content) ? leavesBelow(content, []) : [];
}

function leavesBelow(value: unknown, path: readonly string[]): Leaf[] {
  if (!isObject(value)) return [{ path, value }];
  return Object.entries(value).flatMap(([name, member]) => leavesBelow(member, [...path, name]));
}

/** What a view answered, and what is known of it. */
export interface View {
  readonly body: unknown;
  readonly profile: OperationProfile | undefined;
  /** The organization that was asked for. */
  readonly asked: string | undefined;
}

/**
 * What a view shows where a body would set a member: in the organization, where the body wraps it
 * or does not, or at the same place of the whole answer. `undefined` where it shows nothing there.
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
 * The body that sets members back to what a view showed. What it did not show is removed where the
 * body is a merge patch (RFC 7396: null), else left out; members that are the same in every edit
 * stay as they are.
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

function setAt(root: Record<string, unknown>, path: readonly string[], value: unknown): void {
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

function parsed(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}
