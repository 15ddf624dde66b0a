import { pointerToken } from "../../../src/lib/json-pointer.ts";
import { parseJson } from "../../../src/lib/json.ts";
import { counted } from "../../../src/lib/words.ts";

/** Compares what two answers show, member by member. */

/** A member that the later answer shows otherwise. */
export interface MemberChange {
  /** A JSON Pointer. */
  readonly at: string;
  /** `changed` also where it has no value before, `gone` where it has none any more. */
  readonly how: "gone" | "changed";
  readonly before: unknown;
  readonly after: unknown;
}

/** The values of an answer by JSON Pointer, and at `/-` below each array and object how many it has. Empty if it is not JSON. */
export function membersOf(body: string): ReadonlyMap<string, unknown> {
  const found = new Map<string, unknown>();
  const collect = (value: unknown, at: string): void => {
    if (typeof value !== "object" || value === null) {
      found.set(at, value);
      return;
    }
    const members = Object.entries(value);
    found.set(`${at}/-`, counted(members.length, "member"));
    for (const [name, member] of members) collect(member, `${at}/${pointerToken(name)}`);
  };
  const json = parseJson(body);
  if (json !== undefined) collect(json, "");
  return found;
}

/** The members of the first answer that the second one shows otherwise. */
export function memberChanges(before: string, after: string): MemberChange[] {
  const now = membersOf(after);
  if (now.size === 0) return [];
  return [...membersOf(before)].flatMap(([at, value]): MemberChange[] => {
    const next = now.get(at);
    if (next === value || (isEmpty(value) && isEmpty(next))) return [];
    return [{ at, how: isEmpty(next) ? "gone" : "changed", before: value, after: next }];
  });
}

/** Whether a value moved on by itself: a greater number or time, or a link with another query. */
export function hasMovedOn({ before, after }: MemberChange): boolean {
  if (typeof before === "number" && typeof after === "number") return after > before;
  if (typeof before !== "string" || typeof after !== "string") return false;
  if (isTime(before) && isTime(after)) return Date.parse(after) >= Date.parse(before);
  return withoutQuery(before) !== before && withoutQuery(before) === withoutQuery(after);
}

function isTime(text: string): boolean {
  return /^\d{4}-\d\d-\d\d[T ]/.test(text) && !Number.isNaN(Date.parse(text));
}

function withoutQuery(text: string): string {
  return text.replace(/\?.*$/s, "");
}

function isEmpty(value: unknown): boolean {
  return value === undefined || value === null || value === "";
}
