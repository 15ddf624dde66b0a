import { readdirSync, readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import * as fc from "fast-check";
import { describe, expect, it } from "vitest";

import { MODEL_VERSIONS, type ModelName } from "../../src/contract/model-validator.ts";
import { validateModel } from "../../src/contract/models.ts";
import { fixturePath } from "../../src/lib/package-root.ts";

const INT32_MAX = 2_147_483_647;
const MODELS = Object.keys(MODEL_VERSIONS) as ModelName[];
function schemaOf(model: ModelName): object {
  const file = fixturePath("models", `${model}.${MODEL_VERSIONS[model]}.json`);
  return JSON.parse(readFileSync(file, "utf8")) as object;
}

const error = { status: 404, message: "Not found", errors: [] };

const accepted: [ModelName, string, unknown][] = [
  ["Error", "the three members", error],
  ["Error", "further members", { ...error, traceId: "x", path: "/orgs" }],
  ["Error", "elements of any type", { ...error, errors: ["x", 1, null, { a: [] }, []] }],
  ["Error", "an empty message", { ...error, message: "" }],
  [
    "Error",
    "an integer written with a fraction of zero",
    JSON.parse('{"status":400.0,"message":"","errors":[]}'),
  ],
  [
    "ApplicationSubmissionError",
    "field and message",
    { ...error, errors: [{ field: "a.b", message: "missing" }] },
  ],
  ["ApplicationSubmissionError", "elements of any type", { ...error, errors: ["x"] }],
  ["PaginatedQueryParams", "nothing, as both are optional", {}],
  ["PaginatedQueryParams", "the lowest values", { page: 1, pageSize: 1 }],
  ["PaginatedQueryParams", "the highest values", { page: INT32_MAX, pageSize: INT32_MAX }],
  ["PaginatedBodyParams", "nothing, as both are optional", {}],
  ["PaginatedBodyParams", "the highest values", { page: INT32_MAX, pageSize: INT32_MAX }],
  ["PaginatedResultsInfo", "what is required", { page: 1, pageSize: 100 }],
  ["PaginatedResultsInfo", "all members", { page: 2, pageSize: 5, totalItems: 7, totalPages: 2 }],
  [
    "PaginatedResultsInfo",
    "an empty collection",
    { page: 1, pageSize: 5, totalItems: 0, totalPages: 0 },
  ],
  [
    "PaginatedResultsInfo",
    "a pageSize beyond int32, which has no upper bound here",
    { page: 1, pageSize: INT32_MAX + 1 },
  ],
];

const refused: [ModelName, unknown, ...problems: string[]][] = [
  ["Error", null, " must be an object, but is null"],
  ["Error", [error], " must be an object, but is an array"],
  ["Error", "oops", " must be an object, but is a string"],
  [
    "Error",
    {},
    "/status is required, but missing",
    "/message is required, but missing",
    "/errors is required, but missing",
  ],
  ["Error", { ...error, status: "404" }, "/status must be an integer, but is a string"],
  ["Error", { ...error, status: 404.5 }, "/status must be an integer, but is 404.5"],
  ["Error", { ...error, message: null }, "/message must be a string, but is null"],
  ["Error", { ...error, errors: {} }, "/errors must be an array, but is an object"],
  [
    "ApplicationSubmissionError",
    { ...error, errors: true },
    "/errors must be an array, but is a boolean",
  ],
  ["PaginatedQueryParams", { page: 0 }, "/page must be at least 1, but is 0"],
  ["PaginatedQueryParams", { page: "1" }, "/page must be an integer, but is a string"],
  [
    "PaginatedQueryParams",
    { page: INT32_MAX + 1 },
    "/page must be at most 2147483647, but is 2147483648",
  ],
  ["PaginatedQueryParams", { limit: 5 }, "/limit is not a member of PaginatedQueryParams"],
  ["PaginatedBodyParams", { pageSize: -1 }, "/pageSize must be at least 1, but is -1"],
  ["PaginatedBodyParams", { pageSize: 1.5 }, "/pageSize must be an integer, but is 1.5"],
  ["PaginatedBodyParams", { filters: {} }, "/filters is not a member of PaginatedBodyParams"],
  ["PaginatedResultsInfo", { page: 1 }, "/pageSize is required, but missing"],
  [
    "PaginatedResultsInfo",
    { page: 0, pageSize: 0 },
    "/page must be at least 1, but is 0",
    "/pageSize must be at least 1, but is 0",
  ],
  [
    "PaginatedResultsInfo",
    { page: INT32_MAX + 1, pageSize: 1 },
    "/page must be at most 2147483647, but is 2147483648",
  ],
  [
    "PaginatedResultsInfo",
    { page: 1, pageSize: 1, totalItems: "9" },
    "/totalItems must be an integer, but is a string",
  ],
  [
    "PaginatedResultsInfo",
    { page: 1, pageSize: 1, next: "/orgs" },
    "/next is not a member of PaginatedResultsInfo",
  ],
];

describe("the models", () => {
  it("have one file each, named and identified by model and version", () => {
    const files = MODELS.map((model) => `${model}.${MODEL_VERSIONS[model]}.json`);
    expect(readdirSync(fixturePath("models")).toSorted()).toEqual(files.toSorted());
    for (const model of MODELS) {
      expect(schemaOf(model)).toMatchObject({
        $schema: "https://json-schema.org/draft/2020-12/schema",
        $id: `urn:orgsync-conformance:model:${model}:${MODEL_VERSIONS[model]}`,
        title: model,
      });
    }
  });

  it.each(MODELS)("%s is a valid schema", (model) => {
    expect(new Ajv2020().validateSchema(schemaOf(model))).toBe(true);
  });

  it.each(accepted)("%s accepts %s", (model, _what, value) => {
    expect(validateModel(model, value)).toEqual([]);
  });

  it.each(refused)("%s refuses %j", (model, value, ...problems) => {
    const found = validateModel(model, value).map(
      ({ pointer, message }) => `${pointer} ${message}`,
    );
    expect(found).toEqual(problems);
  });

  it("have the defaults of the contract", () => {
    for (const model of ["PaginatedQueryParams", "PaginatedBodyParams"] as const) {
      expect(schemaOf(model)).toMatchObject({
        properties: { page: { default: 1 }, pageSize: { default: 100 } },
      });
    }
  });

  it("accept every object with the three members as an Error, whatever other members it has", () => {
    fc.assert(
      fc.property(
        fc.dictionary(fc.string(), fc.jsonValue()),
        fc.integer(),
        fc.string(),
        fc.array(fc.jsonValue()),
        (others, status, message, errors) => {
          expect(validateModel("Error", { ...others, status, message, errors })).toEqual([]);
        },
      ),
    );
  });

  it("accept an integer as a page exactly if it is inside the bounds", () => {
    const integer = fc.oneof(fc.integer(), fc.maxSafeInteger(), fc.integer({ min: -2, max: 2 }));
    fc.assert(
      fc.property(integer, (page) => {
        const valid = validateModel("PaginatedQueryParams", { page }).length === 0;
        expect(valid).toBe(page >= 1 && page <= INT32_MAX);
      }),
    );
  });

  it("report each member of any JSON value at most once, with names that are safe to print", () => {
    fc.assert(
      fc.property(fc.constantFrom(...MODELS), fc.jsonValue(), (model, value) => {
        const pointers = validateModel(model, value).map(({ pointer }) => pointer);
        expect(new Set(pointers).size).toBe(pointers.length);
        for (const pointer of pointers) expect(pointer).not.toMatch(/\p{C}/u);
      }),
    );
  });

  it("report a hostile value in short, printable text", () => {
    const info: Record<string, number> = { page: 1, pageSize: 1 };
    for (let n = 0; n < 1000; n++) info[`\u001B[31m${n}/~${"x".repeat(500)}`] = n;
    const found = validateModel("PaginatedResultsInfo", info);
    expect(found).toHaveLength(20);
    expect(found[0]?.pointer).toMatch(/^\/\u{FFFD}\[31m0~1~0x+…$/u);
    for (const { pointer } of found) expect(pointer.length).toBeLessThan(100);
  });

  it("do not repeat text of the value", () => {
    const found = validateModel("Error", {
      status: "s3cret",
      message: ["s3cret"],
      errors: "s3cret",
    });
    expect(found).toHaveLength(3);
    expect(JSON.stringify(found)).not.toContain("s3cret");
  });
});
