import { describe, expect, it } from "vitest";

import type { Dialect } from "../../src/document/json-schema.ts";
import { misjudged, ref, responseSchema } from "./support.ts";

type Judged = [what: string, schema: unknown, valid: unknown[], invalid: unknown[]];

const THING = {
  Thing: { type: "object", required: ["id"], properties: { id: { type: "string" } } },
};
const REF = ref("Thing");

/** The values that are judged wrongly. */
function wrong(dialect: Dialect, [, schema, valid, invalid]: Judged): unknown[] {
  return misjudged(responseSchema(dialect, schema, THING), valid, invalid);
}

describe("schemas of OpenAPI 3.0", () => {
  it.each<Judged>([
    ["nullable", { type: "string", nullable: true }, ["a", null], [1]],
    ["not nullable", { type: "string", nullable: false }, ["a"], [null]],
    ["a nullable enum", { type: "string", enum: ["a"], nullable: true }, ["a", null], ["b"]],
    ["a nullable composition", { allOf: [REF], nullable: true }, [{ id: "" }, null], [{}]],
    [
      "a nullable type beside a composition",
      { type: "object", allOf: [REF], nullable: true },
      [{ id: "" }, null],
      [{}, "a"],
    ],
    ["an exclusive bound", { type: "number", minimum: 1, exclusiveMinimum: true }, [1.1], [1]],
    ["an inclusive bound", { type: "number", maximum: 1, exclusiveMaximum: false }, [1], [1.1]],
    ["an exclusive flag without a bound", { type: "number", exclusiveMinimum: true }, [0], ["0"]],
    ["what stands beside $ref", { ...REF, required: ["name"] }, [{ id: "" }], [{}]],
    ["unknown keywords", { const: 1, if: false }, [2], []],
    [
      "a discriminator",
      { oneOf: [REF], discriminator: { propertyName: "kind" } },
      [{ id: "" }],
      [{}],
    ],
    ["an example", { type: "integer", example: "no integer" }, [1], ["no integer"]],
    [
      "a property named like a keyword",
      { type: "object", properties: { nullable: { type: "string" }, $ref: { type: "string" } } },
      [{ nullable: "a" }],
      [{ nullable: true }],
    ],
  ])("%s", (...judged) => {
    expect(wrong("3.0", judged)).toEqual([]);
  });
});

describe("schemas of OpenAPI 3.1", () => {
  it.each<Judged>([
    ["a list of types", { type: ["string", "null"] }, ["a", null], [1]],
    ["nullable, which has no meaning", { type: "string", nullable: true }, ["a"], [null]],
    ["an exclusive bound", { exclusiveMinimum: 1 }, [1.1], [1]],
    [
      "what stands beside $ref",
      { ...REF, required: ["name"] },
      [{ id: "", name: 1 }],
      [{ id: "" }],
    ],
    ["const", { const: 1 }, [1], [2]],
    ["conditions", { if: { type: "string" }, else: { minimum: 2 } }, [2, "a"], [1]],
    ["positions", { prefixItems: [{ type: "string" }], items: false }, [["a"]], [["a", 1], [1]]],
    [
      "member names with a pattern that is not judged",
      {
        patternProperties: { "^(?=a)": { type: "string" }, "^b": { type: "integer" } },
        additionalProperties: false,
      },
      [{ a: "a" }, { c: 1 }],
      [{ b: "b" }],
    ],
    [
      "unevaluated members that such a pattern may match",
      { allOf: [{ patternProperties: { "^(?=a)": true } }], unevaluatedProperties: false },
      [{ a: 1 }],
      [],
    ],
    ["true and false", { properties: { a: false, b: true } }, [{ b: 1 }], [{ a: 1 }]],
    [
      "its own definitions",
      { $id: "https://example.com/x", $ref: "#/$defs/a", $defs: { a: { type: "string" } } },
      ["a"],
      [1],
    ],
  ])("%s", (...judged) => {
    expect(wrong("3.1", judged)).toEqual([]);
  });
});

describe.each<Dialect>(["3.0", "3.1"])("schemas of both, %s", (dialect) => {
  it.each<Judged>([
    ["a format, which is only an annotation", { type: "string", format: "uuid" }, ["no uuid"], [1]],
    ["a pattern of ECMA-262", { type: "string", pattern: "^\\p{L}+$" }, ["é"], ["1"]],
    [
      "a pattern that is invalid in Unicode mode",
      { type: "string", pattern: "^a\\-b$" },
      ["a-b"],
      ["ab"],
    ],
    ["a pattern of another dialect", { type: "string", pattern: "(?i)^a++$" }, ["b"], [1]],
    ["two patterns", { anyOf: [{ pattern: "^a$" }, { pattern: "^b$" }] }, ["a", "b"], ["c"]],
    ["a pattern with look-ahead", { pattern: "^(?=a)", maxLength: 1 }, ["b"], ["bb"]],
    [
      "alternatives that only an unjudged pattern distinguishes",
      { type: "string", oneOf: [{ pattern: "^(?=a)" }, { pattern: "^(?=b)" }] },
      ["a", "b"],
      [1],
    ],
    ["cents", { type: "number", multipleOf: 0.01 }, [19.99, 1.1], [0.001]],
    [
      "a write-only member, which no answer needs",
      {
        type: "object",
        required: ["a", "b"],
        properties: { a: { type: "string", writeOnly: true }, b: { readOnly: true } },
      },
      [{ b: 1 }],
      [{}],
    ],
  ])("%s", (...judged) => {
    expect(wrong(dialect, judged)).toEqual([]);
  });

  it("may be circular", () => {
    const tree = {
      type: "object",
      required: ["name"],
      properties: {
        name: { type: "string" },
        children: { type: "array", items: ref("Tree") },
      },
    };
    const schema = responseSchema(dialect, ref("Tree"), { Tree: tree });
    expect(schema.problem({ name: "a", children: [{ name: "b", children: [] }] })).toBeUndefined();
    expect(schema.problem({ name: "a", children: [{ name: "b" }, { children: [] }] })).toBe(
      "`/children/*` lacks the member `name`",
    );
    expect(schema.smallest()).toEqual({ name: "conformance" });
  });

  it("may be circular without an end", () => {
    const schemas = { A: ref("B"), B: ref("A") };
    const schema = responseSchema(dialect, { allOf: [ref("A")] }, schemas);
    expect(() => schema.problem({})).not.toThrow();
    expect(() => schema.smallest()).not.toThrow();
  });

  it.each([
    ["refers to nothing", { allOf: [ref("Nothing")] }],
    ["is not a schema", { type: "object", required: true, properties: 7 }],
  ])("judge no value if one %s", (_what, broken) => {
    const schema = responseSchema(dialect, broken);
    expect(schema.unusable).toBeDefined();
    expect(schema.problem(7)).toBeUndefined();
    expect(schema.smallest()).toBeUndefined();
  });

  it("name the patterns that they do not judge by", () => {
    const schema = responseSchema(dialect, {
      properties: {
        a: { pattern: "^(?=a)" },
        b: { allOf: [{ pattern: "(b)\\1" }] },
        c: { pattern: "c" },
      },
    });
    expect(schema.unjudged).toEqual(["^(?=a)", "(b)\\1"]);
    expect(schema.unusable).toBeUndefined();
  });

  it("are not used if they negate a pattern that is not judged", () => {
    const schema = responseSchema(dialect, { not: { pattern: "^(?=a)" } });
    expect(schema.unusable).toContain("`not`");
    expect(schema.problem("b")).toBeUndefined();
  });

  it("name surplus members, and do not repeat values", () => {
    const schema = responseSchema(dialect, {
      type: "object",
      properties: { name: { type: "string" } },
      additionalProperties: false,
    });
    expect(schema.problem({ extra: 1 })).toBe("the body may not have the member `extra`");
    expect(schema.problem({ name: ["s3cret"] })).toBe("`/name` must be a string");
    expect(schema.problem({ ["x".repeat(9999)]: 1 })?.length).toBe(200);
  });
});

describe("the smallest value", () => {
  it.each([
    [
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "integer", minimum: 5 }, b: {} },
      },
      { a: 5 },
    ],
    [{ type: "array", minItems: 2, items: { enum: ["x", "y"] } }, ["x", "x"]],
    [{ type: "string", format: "date" }, "2024-01-01"],
    [{ type: "string", minLength: 20 }, `conformance${"x".repeat(9)}`],
    [{ type: "string", maxLength: 3 }, "con"],
    [{ type: "string", pattern: "^[A-Z]{3}$", examples: ["ABC"] }, "ABC"],
    [{ type: "integer", exclusiveMinimum: 0, multipleOf: 5 }, 5],
    [{ type: ["null", "boolean"] }, true],
    [{ const: { a: 1 } }, { a: 1 }],
    [{ oneOf: [{ type: "null" }, { type: "string", default: "usual" }] }, "usual"],
    [
      {
        allOf: [
          { type: "object", required: ["a"], properties: { a: { type: "string" } } },
          { required: ["b"], properties: { b: { type: "number" }, a: { minLength: 12 } } },
        ],
      },
      { a: "conformancex", b: 1 },
    ],
    [
      {
        type: "object",
        required: ["a"],
        properties: { a: { type: "string", pattern: "^[A-Z]+$" } },
      },
      undefined,
    ],
  ])("of %j is %j", (schema, expected) => {
    expect(responseSchema("3.1", schema).smallest()).toEqual(expected);
  });
});
