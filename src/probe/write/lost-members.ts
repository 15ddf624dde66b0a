import { isObject } from "../../lib/json.ts";
import { organizationOf } from "../read/shapes.ts";
import type { View } from "./restore.ts";

/**
 * The members of an organization that had a value before, and have none any more.
 * @returns `undefined` where one of the answers shows no organization
 */
export function lostMembers(before: View, after: View): string[] | undefined {
  const [then, now] = [before, after].map(({ body, profile, asked }) =>
    organizationOf(body, profile, asked),
  );
  if (!isObject(then) || !isObject(now)) return undefined;
  return Object.keys(then).filter((name) => !isEmpty(then[name]) && isEmpty(now[name]));
}

function isEmpty(value: unknown): boolean {
  if (value === undefined || value === null || value === "") return true;
  return typeof value === "object" && Object.keys(value).length === 0;
}
