import { describe, expect, it } from "vitest";

import type { Dialect } from "../../src/document/json-schema.ts";
import type { DocumentedSchema } from "../../src/profile/document.ts";
import { described, json, type Json, misjudged, openapi, ref, responseSchema } from "./support.ts";

const object = (properties: Json, required: readonly string[] = []): Json => ({
  type: "object",
  properties,
  required,
});

/** The schemas that generators emit for a class, its subclasses and one of their subclasses. */
const PETS: Json = {
  Pet: {
    ...object({ kind: { type: "string" }, name: { type: "string" }, friend: ref("Pet") }, ["kind"]),
    oneOf: [ref("Cat"), ref("Dog")],
    discriminator: {
      propertyName: "kind",
      mapping: { cat: "#/components/schemas/Cat", dog: "elsewhere.json#/Dog" },
    },
  },
  Cat: { allOf: [ref("Pet"), object({ lives: { type: "integer" } }, ["lives"])] },
  Dog: {
    allOf: [ref("Pet"), object({ tail: { type: "boolean" } })],
    oneOf: [ref("Hound"), ref("Lapdog")],
  },
  Hound: { allOf: [ref("Dog"), object({ nose: { type: "string" } }, ["nose"])] },
  Lapdog: { allOf: [ref("Dog"), object({ lap: { type: "string" } }, ["lap"])] },
};

describe.each<Dialect>(["3.0", "3.1"])("recursive schemas, %s", (dialect) => {
  const of = (schema: unknown, schemas: Json = PETS): DocumentedSchema =>
    responseSchema(dialect, schema, schemas);

  it("a parent lists children that have the parent in allOf", () => {
    const hound = { kind: "hound", nose: "long", tail: true };
    const cat = { kind: "cat", lives: 9 };
    const good = [cat, hound, { ...cat, friend: hound }, { ...hound, friend: cat }];
    const bad = [
      {},
      { lives: 9 },
      { kind: "cat" },
      { ...cat, name: 7 },
      { ...cat, lives: "nine" },
      { ...cat, friend: { kind: "cat" } },
      "cat",
    ];
    expect(misjudged(of(ref("Pet")), good, bad)).toEqual([]);
    expect(of(ref("Pet")).smallest()).toMatchObject({ kind: "conformance" });
  });

  it("a child has the members of its parents", () => {
    const good = { kind: "hound", nose: "long" };
    const bad = [{ nose: "long" }, { ...good, kind: 7 }, { ...good, tail: "long" }, { kind: "a" }];
    expect(misjudged(of(ref("Hound")), [good], bad)).toEqual([]);
    expect(misjudged(of({ type: "array", items: ref("Hound") }), [[good]], [bad])).toEqual([]);
  });

  it("a value may match two children that only the discriminator distinguishes", () => {
    const schemas = {
      Change: { ...(PETS["Pet"] as Json), oneOf: [ref("Patch"), ref("Snapshot")] },
      Patch: { allOf: [ref("Change"), object({ patch: {} })] },
      Snapshot: { allOf: [ref("Change"), object({ snapshot: {} })] },
      Pet: {},
    };
    expect(misjudged(of(ref("Change"), schemas), [{ kind: "patch" }], [{}])).toEqual([]);
    const flat = {
      oneOf: [object({ a: {} }), object({ b: {} })],
      discriminator: { propertyName: "a" },
    };
    expect(
      misjudged(of({ oneOf: [object({ x: flat }), { type: "null" }] }), [{ x: {} }], []),
    ).toEqual([]);
  });

  it("two schemas may have each other in allOf", () => {
    const schemas = {
      A: { allOf: [ref("B"), object({ a: {} }, ["a"])] },
      B: { allOf: [ref("A"), object({ b: {} }, ["b"])] },
    };
    expect(misjudged(of(ref("A"), schemas), [{ a: 1, b: 1 }], [{ a: 1 }, { b: 1 }])).toEqual([]);
  });

  it("members, items and additional properties may be recursive", () => {
    const schemas = {
      Tree: {
        ...object({ parent: ref("Tree"), children: { type: "array", items: ref("Forest") } }),
        additionalProperties: ref("Tree"),
      },
      Forest: { allOf: [ref("Tree")] },
    };
    const good = { parent: {}, children: [{ children: [] }], other: { parent: {} } };
    expect(misjudged(of(ref("Tree"), schemas), [good], [{ other: { parent: 7 } }])).toEqual([]);
  });

  it("a schema that is its own negation is not judged", () => {
    const schema = of(ref("Liar"), { Liar: { not: ref("Liar") } });
    expect(schema.unusable).toBeDefined();
    expect(schema.problem({})).toBeUndefined();
    expect(schema.smallest()).toBeUndefined();
  });

  it("a parent may have many children, and a schema may be reached in many ways", () => {
    const children = Array.from({ length: 60 }, (_, at) => `C${at}`);
    const schemas = {
      P: { ...object({ id: { type: "string" } }, ["id"]), oneOf: children.map(ref) },
      ...Object.fromEntries(
        children.map((name) => [name, { allOf: [ref("P"), object({ [name]: {} }, [name])] }]),
      ),
    };
    expect(misjudged(of(ref("P"), schemas), [{ id: "", C7: 1 }], [{ id: "" }, { C7: 1 }])).toEqual(
      [],
    );
    const ways = Object.fromEntries(
      Array.from({ length: 30 }, (_, at) => [
        `W${at}`,
        { allOf: [ref(`W${at + 1}`), ref(`W${at + 1}`)] },
      ]),
    );
    const end = { ...ways, W30: { type: "string" } };
    expect(of(ref("W0"), end).merged).toMatchObject({ type: "string" });
  });

  it("an answer of a child does not need what a parent declares write-only", () => {
    const schemas = {
      Account: object({ password: { type: "string", writeOnly: true } }),
      User: { allOf: [ref("Account")], type: "object", required: ["password", "name"] },
      Named: { allOf: [ref("Strict"), ref("Account")] },
      Strict: { type: "object", required: ["password", "name"] },
    };
    for (const name of ["User", "Named"]) {
      expect(misjudged(of(ref(name), schemas), [{ name: "a" }], [{}])).toEqual([]);
    }
    expect(misjudged(of(ref("Strict"), schemas), [], [{ name: "a" }])).toEqual([]);
  });

  it("a value that is nested too deeply is not judged", () => {
    let value: unknown = {};
    for (let depth = 0; depth < 50_000; depth++) value = { parent: value };
    const schema = of(ref("T"), { T: object({ parent: ref("T") }) });
    expect(schema.problem(value)).toBeUndefined();
  });
});

it("unevaluated properties, definitions, dynamic references and ids do not prevent judging", () => {
  const schemas = {
    P: { ...object({ id: {} }), oneOf: [ref("C")] },
    C: { allOf: [ref("P")], properties: { c: {} }, unevaluatedProperties: false },
    D: { $dynamicAnchor: "node", properties: { next: { $dynamicRef: "#node" } } },
    E: { examples: [{ $id: "urn:a", $ref: "#/no" }, { $id: "urn:a" }], type: ["string", "null"] },
    F: { $defs: { a: { type: "string" } }, $ref: "#/components/schemas/F/$defs/a", minLength: 2 },
  };
  const of = (name: string): DocumentedSchema => responseSchema("3.1", ref(name), schemas);
  expect(misjudged(of("P"), [{ id: 1, c: 1 }], [7])).toEqual([]);
  expect(of("D").problem({ next: {} })).toBeUndefined();
  expect(misjudged(of("E"), ["a", null], [7])).toEqual([]);
  expect(misjudged(of("F"), ["ab"], ["a", 7])).toEqual([]);
});

it("the good body of a schema with a read-only parent leaves out read-only members", () => {
  const schemas = {
    Base: object({ id: { type: "string", readOnly: true }, name: { type: "string" } }),
    Edit: { allOf: [ref("Base")], required: ["id", "name"] },
  };
  const patch = {
    requestBody: { content: json(ref("Edit")) },
    responses: { 200: { description: "" } },
  };
  const { operations } = described(
    openapi({ "/orgs/{id}": { patch } }, { components: { schemas } }),
  );
  const schema = operations.editOrganization?.body.get("application/json")?.schema;
  expect(schema?.smallest()).toEqual({ name: "conformance" });
});
