import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { folderWith } from "../support/folder.ts";
import { loadDocument, loaded, refusal, serving } from "./loading.ts";
import { json, type Json, openapi, OPERATION, ref } from "./support.ts";

function whole(reference: string): string {
  return stringify(openapi({ "/orgs": { $ref: reference } }));
}

function answering(schema: unknown): Json {
  return { get: { responses: { 200: { description: "", content: json(schema) } } } };
}

describe("a document in parts", () => {
  const PART = stringify({ get: { ...OPERATION, parameters: [{ $ref: "shared.json#/page" }] } });
  const SHARED = JSON.stringify({
    page: { name: "page", in: "query", schema: { type: "integer", maximum: 7 } },
  });

  it("is assembled from its own folder", async () => {
    const parts = { "paths/orgs.yaml": PART, "paths/shared.json": SHARED };
    const document = await loaded(whole("paths/orgs.yaml"), parts);
    const page = document.operations.listOrganizations?.query.get("page");
    expect(page?.schema?.problem(8)).toBe("the body must be <= 7");
    expect(await document.problems()).toEqual([]);
  });

  it("is assembled from its own origin", async () => {
    const { origin } = await serving({
      "/docs/openapi.yaml": whole("orgs.yaml"),
      "/docs/orgs.yaml": PART,
      "/docs/shared.json": SHARED,
    });
    const document = await loadDocument(`${origin}/docs/openapi.yaml`);
    expect(document.operations.listOrganizations?.query.has("page")).toBe(true);
  });

  it("reads nothing outside its folder", async () => {
    const folder = folderWith({
      "secret.yaml": "get: {}",
      "api/openapi.yaml": whole("../secret.yaml"),
    });
    const error = await refusal(loadDocument(join(folder, "api/openapi.yaml")));
    expect(error.message).toMatch(/refers to "\.\.\/secret\.yaml", which is outside of its folder/);
  });

  it("may refer to itself, and its parts to each other, also through other parts", async () => {
    const schemas = { Tree: { $ref: "tree.json" }, Name: ref("Tree/properties/name") };
    const paths = { "/orgs": { $ref: "parts/orgs.yml" }, "/orgs/{orgId}": answering(ref("Name")) };
    const document = await loaded(stringify(openapi(paths, { components: { schemas } })), {
      "parts/orgs.yml": stringify(answering({ $ref: "../tree.json" })),
      "tree.json": JSON.stringify({
        type: "object",
        properties: {
          name: { $ref: "#/$defs/name" },
          list: { $ref: "forest.json#/all" },
          whole: { $ref: "openapi.yaml#/components/schemas/Tree" },
        },
        $defs: { name: { type: "string" } },
      }),
      "forest.json": JSON.stringify({ all: { type: "array", items: { $ref: "tree.json" } } }),
    });
    const { listOrganizations: list, viewOrganization: view } = document.operations;
    const tree = list?.responses.get("200")?.get("application/json")?.schema;
    const name = view?.responses.get("200")?.get("application/json")?.schema;
    expect(tree?.problem({ list: [{ whole: { name: 7 } }] })).toBe(
      "/list/*/whole/name must be string",
    );
    expect(tree?.problem({ list: [{ whole: { name: "a" } }] })).toBeUndefined();
    expect(name?.problem(7)).toBe("the body must be string");
    expect(await document.problems()).toEqual([]);
  });

  it("reads no file if it was fetched", async () => {
    const file = join(folderWith({ "secret.json": "{}" }), "secret.json");
    for (const reference of [`file://${file}`, "file:secret.json"]) {
      const { origin } = await serving({ "/openapi.yaml": whole(reference) });
      const error = await refusal(loadDocument(`${origin}/openapi.yaml`));
      expect(error.message).toContain(`refers to "${reference}", which is on another host`);
    }
  });

  it("sends requests only to its own origin", async () => {
    const stranger = await serving({ "/orgs.yaml": PART });
    const { origin } = await serving({ "/openapi.yaml": whole(`${stranger.origin}/orgs.yaml`) });
    const text = whole(`${stranger.origin}/orgs.yaml`);
    for (const load of [() => loaded(text), () => loadDocument(`${origin}/openapi.yaml`)]) {
      expect((await refusal(load())).message).toContain("which is on another host");
    }
    expect(stranger.asked).toEqual([]);
  });

  it("needs every part", async () => {
    const error = await refusal(loaded(whole("orgs.yaml")));
    expect(error.message).toMatch(/orgs\.yaml does not exist/);
  });
});
