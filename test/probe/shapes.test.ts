import { describe, expect, test } from "vitest";

import {
  findPaginationInfo,
  organizationId,
  organizationIds,
  organizationOf,
} from "../../src/probe/read/shapes.ts";

const A = "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813";
const B = "b81e4a07-26d9-4f35-8e6b-0c9d3a5f7214";
const record = { id: A, name: "Hands On" };

describe("organizationId finds the UUID of", () => {
  test.each<[string, unknown]>([
    ["a record", record],
    ["a record in upper case", { id: A.toUpperCase() }],
    ["a resource of JSON:API", { type: "orgs", id: A, attributes: { parent: { id: B } } }],
    ["a wrapped record", { node: { organization: record } }],
    ["a row with its own number", { id: 7, organization: record }],
    ["an array of one", [record]],
    ["only an id", A],
  ])("%s", (_shape, value) => {
    expect(organizationId(value)).toBe(A);
  });

  test.each([[{ id: 7 }], [{ uuid: A }], [[record, record]], [null], ["Hands On"]])(
    "nothing in %j",
    (value) => expect(organizationId(value)).toBeUndefined(),
  );

  test("several ids, the nearest first", () => {
    expect(organizationIds({ id: B, organization: record })).toEqual([B, A]);
  });
});

describe("organizationOf is", () => {
  test.each<[string, unknown, string | undefined, unknown]>([
    ["the whole answer", record, undefined, record],
    ["a wrapped object", { data: record }, undefined, record],
    ["the object with the requested id", { id: B, result: { data: record } }, undefined, record],
    ["the object at the profile's pointer", { org: { name: "x" } }, "/org", { name: "x" }],
    ["the object with any id, if none is a UUID", { data: { id: 7 } }, undefined, { id: 7 }],
    [
      "the whole answer, if nothing has an id",
      { data: { name: "x" } },
      undefined,
      { data: { name: "x" } },
    ],
  ])("%s", (_what, body, organization, expected) => {
    expect(organizationOf(body, { organization }, A)).toEqual(expected);
  });
});

test("an answer with hundreds of thousands of members is searched", () => {
  const wide = Object.fromEntries(Array.from({ length: 300_000 }, (_, n) => [`m${n}`, {}]));
  const info = { page: 1, pageSize: 100 };
  expect(findPaginationInfo({ wide, last: { info } })).toBe(info);
});
