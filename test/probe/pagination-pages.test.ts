import { describe, expect, test } from "vitest";

import { keysOf, pointerOfItems, readContent, surplus } from "../../src/probe/pagination/page.ts";
import { inBounds } from "../../suites/pagination/pages/in-bounds.ts";

const INFO = { page: 2, pageSize: 5, totalItems: 8, totalPages: 2 };
const ITEMS = [{ id: "a" }, { id: "b" }];

describe("PaginatedResultsInfo is found", () => {
  test.each<[string, unknown, boolean]>([
    ["beside the items, in its own object", { items: ITEMS, paginationInfo: INFO }, true],
    ["deeper", { items: ITEMS, meta: { page: INFO } }, true],
    ["in the object of the items", { items: ITEMS, ...INFO }, false],
    ["above the items", { data: { items: ITEMS }, ...INFO }, false],
    ["if there are no items", { items: [], paginationInfo: INFO }, true],
  ])("%s", (_, body, alone) => {
    expect(readContent(body, undefined).info).toMatchObject({ ...INFO, alone });
  });

  test("at the place that the profile names, and no other", () => {
    const body = { first: { ...INFO, page: 1 }, second: INFO, items: ITEMS };
    expect(readContent(body, { pagination: "/second" }).info?.page).toBe(2);
    expect(readContent(body, { pagination: "/third" }).info).toBeUndefined();
    expect(readContent({ items: ITEMS, ...INFO }, { pagination: "" }).info?.alone).toBe(false);
  });

  test.each([
    [{ page: "2", pageSize: "5" }],
    [{ page: 2, totalItems: 8 }],
    [{ totalItems: 8, totalPages: 2 }],
  ])("although it is not valid: %j", (info) => {
    expect(readContent({ items: ITEMS, info }, undefined).info?.object).toEqual(info);
  });

  test("before an object that only looks like it", () => {
    const body = { request: { page: "2", pageSize: "5" }, meta: { info: INFO }, items: ITEMS };
    expect(readContent(body, undefined).info?.page).toBe(2);
  });

  test.each([[{ items: ITEMS }], [{ items: ITEMS, page: 2 }], [ITEMS], ["text"], [undefined]])(
    "not in %j",
    (body) => {
      expect(readContent(body, undefined).info).toBeUndefined();
    },
  );
});

describe("items", () => {
  test("are empty if their place on the first page has none", () => {
    const at = pointerOfItems({ rows: ITEMS, facets: [{ name: "x" }] }, undefined);
    expect(at).toBe("/rows");
    for (const body of [{ rows: [] }, { rows: null }, {}]) {
      expect(readContent({ ...body, facets: [{ name: "x" }] }, undefined, at).items).toEqual([]);
    }
    expect(readContent({ rows: "many" }, undefined, at).items).toBeUndefined();
    expect(readContent(undefined, undefined, at).items).toBeUndefined();
  });

  test("are unknown if the profile names the wrong place", () => {
    expect(pointerOfItems({ items: ITEMS }, { items: "/rows" })).toBeUndefined();
    expect(readContent({ items: ITEMS }, { items: "/rows" }).items).toBeUndefined();
  });

  test("are compared by id, or by all members if they have none", () => {
    expect(keysOf([{ id: 1, seen: "now" }])).toEqual(keysOf([{ id: 1, seen: "later" }]));
    const keys = keysOf([{ a: 1, b: { c: 2, d: 3 } }, { b: { d: 3, c: 2 }, a: 1 }, { a: 2 }]);
    expect(keys[0]).toBe(keys[1]);
    expect(keys[0]).not.toBe(keys[2]);
    const organization = "11111111-1111-4111-8111-111111111111";
    const [one, other] = keysOf(
      [
        { id: organization, at: 1 },
        { id: organization, at: 2 },
      ],
      organization,
    );
    expect(one).not.toBe(other);
  });

  test("are counted, because an id may occur more than once", () => {
    expect(surplus(["a", "a", "b"], ["a", "b"])).toEqual(["a"]);
    expect(surplus(["a", "b"], ["b", "a", "a"])).toEqual([]);
  });
});

describe("the requested pages", () => {
  test("include the edges of the collection and of int32", () => {
    expect(inBounds({ size: 24 }).edges).toEqual(
      expect.arrayContaining([
        [1, 1],
        [2, 1],
        [3, 8],
        [4, 8],
        [1, 2_147_483_647],
        [2_147_483_647, 1],
        [2_147_483_647, 2_147_483_647],
      ]),
    );
  });

  test.each([0, 1, 2, 24, 999, 1001, 100_000, 2_147_483_647])(
    "of a collection of %i are in bounds and never show more than a thousand items",
    async (size) => {
      const { edges, arbitrary } = inBounds({ size });
      const fc = await import("fast-check");
      for (const [page, pageSize] of [...edges, ...fc.sample(arbitrary(fc), 200)]) {
        for (const value of [page, pageSize]) {
          expect(Number.isInteger(value) && value >= 1 && value <= 2_147_483_647).toBe(true);
        }
        const shown = Math.min(pageSize, size - (page - 1) * pageSize);
        expect(shown).toBeLessThanOrEqual(1000);
      }
    },
  );
});
