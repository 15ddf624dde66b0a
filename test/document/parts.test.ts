import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import type { ReadDocument } from "../../src/document/load.ts";
import { folderWith } from "../support/folder.ts";
import { loadDocument, loaded, serving } from "./loading.ts";
import { json, type Json, known, openapi, OPERATION, ref } from "./support.ts";

function whole(reference: string): string {
  return stringify(openapi({ "/orgs": { $ref: reference } }));
}

function answering(schema: unknown): Json {
  return { get: { responses: { 200: { description: "", content: json(schema) } } } };
}

function problemsOf({ unresolved }: ReadDocument): string[] {
  return unresolved.map(({ problem }) => problem);
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
    expect(page?.schema?.problem(8)).toBe("the body must be at most 7");
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
    const document = await loadDocument(join(folder, "api/openapi.yaml"));
    expect(problemsOf(document)).toEqual([
      expect.stringMatching(/refers to "\.\.\/secret\.yaml", which is outside of its folder$/),
    ]);
    expect(document.operations.listOrganizations).toBeUndefined();
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
      "`/list/*/whole/name` must be a string",
    );
    expect(tree?.problem({ list: [{ whole: { name: "a" } }] })).toBeUndefined();
    expect(name?.problem(7)).toBe("the body must be a string");
    expect(await document.problems()).toEqual([]);
  });

  it("reads no file if it was fetched", async () => {
    const file = join(folderWith({ "secret.json": "{}" }), "secret.json");
    for (const reference of [`file://${file}`, "file:secret.json"]) {
      const { origin } = await serving({ "/openapi.yaml": whole(reference) });
      const document = await loadDocument(`${origin}/openapi.yaml`);
      expect(problemsOf(document)).toEqual([
        `${origin}/openapi.yaml refers to "${reference}", which is on another host`,
      ]);
    }
  });

  it("sends requests only to its own origin", async () => {
    const stranger = await serving({ "/orgs.yaml": PART });
    const { origin } = await serving({ "/openapi.yaml": whole(`${stranger.origin}/orgs.yaml`) });
    const text = whole(`${stranger.origin}/orgs.yaml`);
    for (const load of [() => loaded(text), () => loadDocument(`${origin}/openapi.yaml`)]) {
      expect(problemsOf(await load()).join()).toContain("which is on another host");
    }
    expect(stranger.asked).toEqual([]);
  });

  it("is read without a part that is missing, which hides the routes of that part alone", async () => {
    const text = stringify(
      openapi({
        "/orgs": { $ref: "orgs.yaml" },
        "/orgs/{orgId}": answering({ properties: { a: { $ref: "parts/a.json#/A" } } }),
      }),
    );
    const document = await loaded(text);
    expect(document.unresolved).toEqual([
      { kind: "schema", problem: expect.stringMatching(/"parts\/a\.json", which does not exist$/) },
      { kind: "pathItem", problem: expect.stringMatching(/"orgs\.yaml", which does not exist$/) },
    ]);
    expect(document.operations.listOrganizations).toBeUndefined();
    const schema = document.operations.viewOrganization?.responses
      .get("200")
      ?.get("application/json");
    expect(schema?.schema?.unusable).toContain("parts/a.json#/A` cannot be resolved");
    expect(schema?.schema?.problem({ a: 7 })).toBeUndefined();
    expect(await document.problems()).toEqual([]);
  });

  it.each([
    ["a part that cannot be parsed", "a: [", /^\S*part\.yaml:1:5: /],
    ["a missing anchor in a part", "$defs: {}", /"part\.yaml#text", which leads nowhere$/],
  ])("is read with %s, whose schema is not judged", async (_what, part, problem) => {
    const text = stringify(openapi({ "/orgs": answering({ $ref: "part.yaml#text" }) }));
    const document = await loaded(text, { "part.yaml": part });
    expect(document.unresolved).toEqual([
      { kind: "schema", problem: expect.stringMatching(problem) },
    ]);
    const schema = document.operations.listOrganizations?.responses.get("200");
    expect(schema?.get("application/json")?.schema?.unusable).toContain(
      "part.yaml#text` cannot be resolved",
    );
  });

  it("is not valid where a pointer leads nowhere in a part that was read", async () => {
    const text = stringify(openapi({ "/orgs": answering({ $ref: "part.yaml#/A" }) }));
    const document = await loaded(text, { "part.yaml": "B: {}" });
    expect(document.unresolved).toEqual([]);
    expect(await document.problems()).toEqual([
      expect.stringMatching(/refers to "part\.yaml#\/A", which leads nowhere$/),
    ]);
  });

  it("says of a response and of a parameter that cannot be resolved nothing else", async () => {
    const get = {
      parameters: [{ $ref: "none.yaml#/page" }],
      responses: { 200: { $ref: "none.yaml#/good" }, 404: { $ref: "none.yaml#/missing" } },
    };
    const document = known(await loaded(stringify(openapi({ "/orgs": { get } }))));
    expect(await document.errorResponses("listOrganizations")).toEqual([
      { code: "404", problem: undefined },
    ]);
    expect(await document.pageParameters("listOrganizations")).toEqual({
      unresolved: "none.yaml#/page",
      present: false,
      problems: [],
    });
    const reply = { status: 200, headers: {}, hasBody: true, cut: false, json: () => ({}) };
    expect(await document.compare("listOrganizations", reply)).toMatchObject({
      problem: undefined,
      unusable: expect.stringContaining("none.yaml#/good` cannot be resolved"),
    });
  });
});
