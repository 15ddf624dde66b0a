import { describe, expect, test } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import {
  findItems,
  hasItemsElsewhere,
  listedOrganizations,
  locateItems,
  unlessGuessed,
} from "../../src/probe/read/items.ts";

const A = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const B = "b81e4a07-26d9-4f35-8e6b-0c9d3a5f7214";
const record = { id: A, name: "Hands On" };
const VIOLATED = { kind: "fail", expected: phrase`a`, actual: phrase`b` } as const;

describe("findItems finds the list in", () => {
  test.each<[string, unknown, readonly unknown[]]>([
    ["a bare array", [record], [record]],
    ["an empty bare array", [], []],
    ["an envelope", { items: [record], paginationInfo: { page: 1 } }, [record]],
    ["an envelope of an envelope", { result: { organizations: [record] } }, [record]],
    ["JSON:API", { included: [{ id: B }], data: [record], links: { self: "/" } }, [record]],
    ["HAL", { _links: { curies: [{ name: "o" }] }, _embedded: { "ea:org": [record] } }, [record]],
    ["edges", { data: { orgs: { edges: [{ node: record }] } } }, [{ node: record }]],
    ["Hydra", { "hydra:view": { x: [{}] }, "hydra:member": [record] }, [record]],
    ["an empty list beside other arrays", { items: [], filters: [{ name: "a" }] }, []],
    ["a list beside an empty one", { results: [], organizations: [record] }, [record]],
    ["a list of ids", { warnings: ["old"], items: [A, B] }, [A, B]],
    ["an object by ids", { items: { [A]: record, [B]: { id: B } } }, [record, { id: B }]],
    [
      "an object by numbers",
      { records: { 1: { at: 1 }, 2: { id: 2 } } },
      [{ id: "1", at: 1 }, { id: 2 }],
    ],
    ["an object of one record by its id", { data: { by: { [A]: record } } }, [record]],
    ["pairs of an id and a record", { items: [[A, { name: "x" }]] }, [{ id: A, name: "x" }]],
    ["pairs of a number and a record with an id", [[1, record]], [record]],
    ["an empty object by ids", { feed: { patches: {}, snapshots: {} }, page: {} }, []],
    ["an array beside an object by ids", { rows: [record], byId: { [B]: { id: B } } }, [record]],
    ["a list with an unusual name", { grantees: [record], errors: [{}, {}] }, [record]],
  ])("%s", (_shape, body, items) => {
    expect(findItems(body, {})).toEqual(items);
  });

  test.each([
    [{ id: A }],
    [{ [A]: { name: "x" } }],
    [{ 1: {}, x: {} }],
    ["text"],
    [null],
    [undefined],
  ])("nothing in %j", (body) => {
    expect(findItems(body, {})).toBeUndefined();
  });

  test("the place that the profile names, and no other", () => {
    const body = { items: [{}], "a/b": { rows: [record] } };
    expect(findItems(body, { items: "/a~1b/rows" })).toEqual([record]);
    expect(findItems(body, { items: "/rows" })).toBeUndefined();
    const byName = { items: { "c-1": { at: 1 } }, none: {}, counts: { a: 1 } };
    expect(findItems(byName, { items: "/items" })).toEqual([{ id: "c-1", at: 1 }]);
    expect(findItems(byName, { items: "/none" })).toEqual([]);
    expect(findItems(byName, { items: "/counts" })).toBeUndefined();
  });
});

describe("the list is certain in", () => {
  test.each(
    Object.entries<[unknown, readonly unknown[], string]>({
      "a bare array": [[record], [record], ""],
      "an envelope": [{ items: [], paging: { page: 1 } }, [], "/items"],
      "a list beside other arrays": [
        { trail: [{ label: "a" }], grantees: [record] },
        [record],
        "/grantees",
      ],
      FHIR: [
        { link: [{ url: "/" }], entry: [{ resource: record }] },
        [{ resource: record }],
        "/entry",
      ],
      Siren: [{ actions: [{ name: "x" }], entities: [record] }, [record], "/entities"],
      "a list beside things with ids": [
        { items: [record], users: [{ id: B }] },
        [record],
        "/items",
      ],
      "an empty list beside things": [{ items: [], users: [{ id: B }] }, [], "/items"],
      "a list of records with parts": [
        [{ id: A, contacts: [{ id: 1 }] }],
        [{ id: A, contacts: [{ id: 1 }] }],
        "",
      ],
    }),
  )("%s", (_shape, [body, items, at]) => {
    expect(locateItems(body, {})).toEqual({ items, at: [at], keyed: false, guessed: false });
  });
});

describe("the list is a guess in", () => {
  test.each(
    Object.entries<[unknown, readonly unknown[]]>({
      "arrays that look the same": [
        { patches: [{ id: 1 }], snapshots: [{ id: 2 }] },
        [{ id: 1 }, { id: 2 }],
      ],
      "arrays that look the same, in two places": [
        { north: { rows: [record] }, south: { rows: [{ id: B }] } },
        [record],
      ],
      "arrays of which one is empty": [{ left: [], right: [record] }, [record]],
      "an array for each letter": [{ index: { A: [record], B: [{ id: B }] } }, [record, { id: B }]],
      "an array for each day": [
        { days: [{ day: 1, changes: [record] }] },
        [{ day: 1, changes: [record] }],
      ],
      "rows and columns": [{ columns: ["id"], rows: [[A], [B]] }, [[A], [B]]],
      "a list found only by its name, beside objects with ids": [
        { values: ["a"], grantees: [record] },
        ["a"],
      ],
      "only arrays that usually stand beside lists": [{ tags: [{ label: "a" }] }, [{ label: "a" }]],
    }),
  )("%s", (_shape, [body, items]) => {
    expect(locateItems(body, {})).toMatchObject({ items, keyed: false, guessed: true });
    expect(listedOrganizations(body, {})).toBeUndefined();
  });

  test("nothing, if the profile names the place", () => {
    const body = { patches: [{ id: 1 }], snapshots: [{ id: 2 }] };
    expect(locateItems(body, { items: "/patches" })).toEqual({
      items: [{ id: 1 }],
      at: ["/patches"],
      keyed: false,
      guessed: false,
    });
  });
});

test.each([
  ["a violation, where the list is a guess", VIOLATED, true, "inconclusive"],
  ["a violation, where the list is certain", VIOLATED, false, "fail"],
  ["what holds, where the list is a guess", { kind: "pass" }, true, "pass"],
] as const)("%s", (_what, finding, guessed, kind) => {
  expect(unlessGuessed(finding, "listOrganizations", { guessed }).kind).toBe(kind);
});

test("an answer has items elsewhere if another place has objects with ids", () => {
  expect(hasItemsElsewhere({ A: [], B: [record] }, undefined, "/A")).toBe(true);
  expect(hasItemsElsewhere({ A: [], B: [{ label: "b" }] }, undefined, "/A")).toBe(false);
  expect(hasItemsElsewhere({ A: [record] }, undefined, "/A")).toBe(false);
  expect(hasItemsElsewhere(undefined, undefined, "/A")).toBe(false);
});

test("a list in which no organization can be recognised differs from an empty list", () => {
  expect(listedOrganizations({ items: [{ name: "Hands On" }] }, {})).toBeUndefined();
  expect(listedOrganizations({ items: [] }, {})).toEqual([]);
  expect(listedOrganizations({ items: [record, { name: "?" }] }, {})).toEqual([A]);
});
