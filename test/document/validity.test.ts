import { describe, expect, it } from "vitest";

import { fixturePath } from "../../src/lib/package-root.ts";
import { loadDocument, loaded } from "./loading.ts";
import { json, openapi, OPERATION, ref } from "./support.ts";

const LIST = openapi({ "/orgs": { get: OPERATION } });

async function problems(document: object): Promise<readonly string[]> {
  return (await loaded(JSON.stringify(document))).problems();
}

describe("the validity of a document that can be read", () => {
  it("does not depend on what its examples contain", async () => {
    const example = { $ref: "#/nowhere", of: [{ $ref: "keys/private.jwks.json" }] };
    const content = json({ default: example }, { example });
    const get = { responses: { 200: { description: "", content } } };
    expect(await problems(openapi({ "/orgs": { get } }))).toEqual([]);
  });

  it("is reported when it is asked for", async () => {
    const { info: _info, ...without } = LIST as Record<string, unknown>;
    expect(await problems(without)).toEqual(["`#/` lacks the member `info`"]);
    const dangling = openapi({
      "/orgs": { get: { ...OPERATION, parameters: [{ $ref: "#/nowhere" }] } },
    });
    expect((await problems(dangling)).join()).toContain("nowhere");
    const nameless = openapi({ "/orgs": { get: { ...OPERATION, parameters: [{ in: "query" }] } } });
    expect((await problems(nameless)).join("\n")).toContain("#/paths/~1orgs/get/parameters/0");
    expect(await problems({ openapi: "3.0.3", info: { title: "T", version: "1" } })).toHaveLength(
      1,
    );
  });

  it("allows components alone in 3.1, and not in 3.0", async () => {
    const { paths: _none, ...alone } = openapi({}, { components: { schemas: {} } });
    expect(await problems(alone)).toEqual([]);
    expect(await problems({ ...alone, openapi: "3.0.3" })).not.toEqual([]);
  });

  it.each(["3.0.0", "3.0.4", "3.0.17", "3.1.0", "3.1.2", "3.1.9"])(
    "does not depend on a circular schema, in %s",
    async (version) => {
      const circular = {
        type: "object",
        properties: { children: { type: "array", items: ref("Tree") } },
      };
      const components = { schemas: { Tree: circular } };
      expect(await problems({ ...LIST, components, openapi: version })).toEqual([]);
    },
  );

  it.each(["3.0.3", "3.1.0"])(
    "does not depend on descriptions of server variables, in %s",
    async (version) => {
      const servers = [
        { url: "https://{host}", variables: { host: { default: "h", description: "which one" } } },
      ];
      const paths = { "/orgs": { get: { ...OPERATION, servers }, servers } };
      expect(await problems({ ...openapi(paths, { servers }), openapi: version })).toEqual([]);
      const wrong = [
        { url: "https://{host}", variables: { host: { default: "h", description: 7 } } },
      ];
      expect(
        await problems({ ...openapi(paths, { servers: wrong }), openapi: version }),
      ).not.toEqual([]);
    },
  );

  it.each(["openapi.yaml", "reference.openapi.yaml"])("holds for the fixture %s", async (name) => {
    const document = await loadDocument(fixturePath(name));
    expect(await document.problems()).toEqual([]);
    expect(Object.values(document.operations)).not.toContain(undefined);
  });
});
