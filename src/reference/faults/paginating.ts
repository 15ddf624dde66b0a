import type { Call, Page } from "../model.ts";
import { withQuery } from "../patches.ts";
import { Refusal } from "../refusal.ts";
import type { Patch } from "../steps.ts";

/** The greatest `page` and `pageSize`. */
export const GREATEST = 2_147_483_647;

/** A parameter's integer; for a value that the receiver refuses anyway NaN, with which every comparison is false. */
export function inBounds(text: unknown): number {
  return /^[1-9]\d{0,9}$/.test(String(text)) && Number(text) <= GREATEST
    ? Number(text)
    : Number.NaN;
}

/** Replaces the parameters that were sent; see `withQuery`. */
export function changingQuery(
  parameters: (call: Call, items: readonly unknown[]) => Readonly<Record<string, unknown>>,
): Patch {
  return {
    paginate: (original) => (call, items) =>
      original(withQuery(call, parameters(call, items)), items),
  };
}

/** A fault that answers with an error of this status instead of some pages. */
export function refusingPage(
  condition: (call: Call, items: readonly unknown[]) => boolean,
  status: number,
): Patch {
  return {
    paginate: (original) => (call, items) => {
      if (condition(call, items)) throw new Refusal(status, "This page cannot be served.");
      return original(call, items);
    },
  };
}

/**
 * Shows another part of the items than the requested page.
 * @param start the index of its first item, by that of the requested page
 * @param length default: as many as were requested
 */
export function slicing(
  start: (from: number, pageSize: number, call: Call, items: readonly unknown[]) => number,
  length: (pageSize: number) => number = (pageSize) => pageSize,
): Patch {
  return {
    paginate:
      (original) =>
      <Item>(call: Call, items: readonly Item[]): Page<Item> => {
        const page = original(call, items);
        const { page: number = 1, pageSize = items.length } = page.paginationInfo ?? {};
        const from = start((number - 1) * pageSize, pageSize, call, items);
        return { ...page, items: items.slice(from, from + length(pageSize)) };
      },
  };
}

/** The query without pagination parameters, for `changingQuery`. */
export const NO_PARAMETERS = { page: undefined, pageSize: undefined };

/**
 * Replaces the pagination parameters whose text matches, each by another value.
 * @param read the new value for a text; `undefined` treats the parameter as absent
 * @param applies to which calls; default: to all
 */
export function reading(
  pattern: RegExp,
  read: (text: string) => string | number | undefined,
  applies: (call: Call) => boolean = () => true,
): Patch {
  return changingQuery((call) =>
    Object.fromEntries(
      ["page", "pageSize"].flatMap((name) => {
        const text = call.query[name];
        if (typeof text !== "string" || !pattern.test(text) || !applies(call)) return [];
        return [[name, read(text)?.toString()] as const];
      }),
    ),
  );
}
