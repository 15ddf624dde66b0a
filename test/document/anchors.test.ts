import { join } from "node:path";

import { expect, it } from "vitest";

import { type ReadDocument, readDocument } from "../../src/document/load.ts";
import type { DocumentedSchema } from "../../src/profile/document.ts";
import { folderWith } from "../support/folder.ts";
import { loadDocument } from "./loading.ts";
import { type Json, misjudged, viewing } from "./support.ts";

const TEXT = { type: "string" };

async function read(schema: unknown, schemas: Json = {}): Promise<DocumentedSchema> {
  const text = JSON.stringify(viewing(schema, schemas));
  const document = await readDocument("", (reference) =>
    reference === undefined
      ? Promise.resolve({ id: "openapi.json", name: "openapi.json", text })
      : Promise.reject(new Error(`${reference} was read`)),
  );
  return schemaIn(document);
}

function schemaIn({ operations }: ReadDocument): DocumentedSchema {
  const found = operations.viewOrganization?.responses.get("200")?.get("application/json");
  if (!found?.schema) throw new Error("the schema was not found");
  return found.schema;
}

const NODE = {
  $dynamicAnchor: "node",
  type: "object",
  properties: { next: { $dynamicRef: "#node" } },
};

it.each<[what: string, schema: unknown, schemas: Json]>([
  ["an anchor", { $ref: "#text" }, { T: { $anchor: "text", ...TEXT } }],
  ["a dynamic anchor", { $ref: "#text" }, { T: { $dynamicAnchor: "text", ...TEXT } }],
  ["a $dynamicRef to an anchor", { $dynamicRef: "#text" }, { T: { $anchor: "text", ...TEXT } }],
  [
    "a $dynamicRef beside a $ref",
    { $dynamicRef: "#a", $ref: "#b" },
    { A: { $anchor: "a", ...TEXT }, B: { $anchor: "b" } },
  ],
  [
    "an absolute $id",
    { $ref: "https://example.com/text" },
    { T: { $id: "https://example.com/text", ...TEXT } },
  ],
  ["a URN", { $ref: "urn:example:text" }, { T: { $id: "urn:example:text", ...TEXT } }],
  [
    "a relative $id",
    {
      $id: "https://example.com/schemas/root",
      $ref: "text",
      $defs: { T: { $id: "text", ...TEXT } },
    },
    {},
  ],
  [
    "an anchor of an $id",
    { $ref: "urn:example:a#text" },
    { A: { $id: "urn:example:a", $defs: { T: { $anchor: "text", ...TEXT } } } },
  ],
  [
    "a pointer into an $id",
    { $ref: "urn:example:a#/$defs/T" },
    { A: { $id: "urn:example:a", $defs: { T: TEXT } } },
  ],
  [
    "a name with a slash",
    { $ref: "#text" },
    { A: { $defs: { "a/~ %": { $anchor: "text", ...TEXT } } } },
  ],
])("%s resolves inside the document", async (_what, schema, schemas) => {
  expect(misjudged(await read(schema, schemas), ["a"], [7])).toEqual([]);
});

it("recursion through a dynamic reference is judged at every level", async () => {
  const schema = await read({ $ref: "#/components/schemas/N" }, { N: NODE });
  expect(misjudged(schema, [{ next: { next: {} } }], [{ next: { next: 7 } }])).toEqual([]);
});

it.each([
  ["#nowhere", { $ref: "#nowhere" }],
  ["urn:example:none", { $ref: "urn:example:none" }],
  ["#nowhere", { $dynamicRef: "#nowhere" }],
  ["#node", { $dynamicRef: "#node", $defs: { a: NODE, b: NODE } }],
])(
  "%s cannot be resolved: its schema is not judged, and the reason names it",
  async (name, schema) => {
    const judged = await read({ properties: { a: schema } });
    expect(judged.unusable).toContain(`\`${name}\` cannot be resolved`);
    expect(judged.problem({ a: 7 })).toBeUndefined();
  },
);

it.each<[what: string, reference: string, parts: Record<string, unknown>]>([
  ["an anchor", "part.json#text", { "part.json": { $defs: { T: { $anchor: "text", ...TEXT } } } }],
  [
    "a file of named schemas",
    "part.json#text",
    { "part.json": { T: { $anchor: "text", ...TEXT } } },
  ],
  [
    "an anchor in a document's schemas",
    "part.json#text",
    { "part.json": { components: { schemas: { T: { $anchor: "text", ...TEXT } } } } },
  ],
  [
    "an anchor of a file with an $id",
    "part.json#text",
    { "part.json": { $id: "https://example.com/p", $defs: { T: { $anchor: "text", ...TEXT } } } },
  ],
  [
    "an anchor that a part refers to by itself",
    "part.json#/$defs/A",
    { "part.json": { $defs: { A: { $ref: "#text" }, T: { $anchor: "text", ...TEXT } } } },
  ],
  [
    "a pointer inside an $id of a part",
    "part.json#/$defs/A/$defs/B",
    {
      "part.json": {
        $defs: { A: { $id: "urn:example:a", $defs: { B: { $ref: "#/$defs/T" }, T: TEXT } } },
      },
    },
  ],
  [
    "an $id in a part that is read later",
    "part.json#/$defs/A",
    {
      "part.json": { $defs: { A: { $ref: "https://example.com/text" }, B: { $ref: "far.json" } } },
      "far.json": { $id: "https://example.com/text", ...TEXT },
    },
  ],
  [
    "an anchor of the document, from a part",
    "part.json",
    { "part.json": { $ref: "openapi.json#own" } },
  ],
])("%s in another part resolves", async (_what, reference, parts) => {
  const others = Object.entries(parts).map(([name, value]) => [name, JSON.stringify(value)]);
  const schemas = { Own: { $anchor: "own", ...TEXT }, Far: { $ref: "part.json" } };
  const text = JSON.stringify(viewing({ $ref: reference }, schemas));
  const folder = folderWith({ ...Object.fromEntries(others), "openapi.json": text });
  const document = await loadDocument(join(folder, "openapi.json"));
  expect(document.unresolved).toEqual([]);
  expect(await document.problems()).toEqual([]);
  expect(misjudged(schemaIn(document), ["a"], [7])).toEqual([]);
});

it("a dynamic reference to an anchor in another part resolves", async () => {
  const text = JSON.stringify(viewing({ $dynamicRef: "part.json#node" }));
  const folder = folderWith({ "openapi.json": text, "part.json": JSON.stringify(NODE) });
  const schema = schemaIn(await loadDocument(join(folder, "openapi.json")));
  expect(misjudged(schema, [{ next: { next: {} } }], [{ next: { next: 7 } }])).toEqual([]);
});

it("an anchor that refers to itself ends", async () => {
  const schema = await read({ $anchor: "self", $ref: "#self" });
  expect(schema.problem(7)).toBeUndefined();
});

it("an $id in an example is data", async () => {
  const schema = await read({ $ref: "urn:example:a", examples: [{ $id: "urn:example:a" }] });
  expect(schema.unusable).toContain("urn:example:a` cannot be resolved");
});

it("thousands of anchors in deep schemas are read", async () => {
  let deep: Json = { $anchor: "a0", ...TEXT };
  for (let depth = 1; depth < 500; depth++) deep = { $anchor: `a${depth}`, not: deep };
  const wide = Object.fromEntries(
    Array.from({ length: 5000 }, (_, at) => [`s${at}`, { $anchor: `w${at}`, ...TEXT }]),
  );
  expect(misjudged(await read({ $ref: "#w4999" }, { ...wide, deep }), ["a"], [7])).toEqual([]);
});
