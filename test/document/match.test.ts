import { describe, expect, it } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { described, type Json, openapi, OPERATION } from "./support.ts";

function item(...methods: string[]): Json {
  return Object.fromEntries(methods.map((method) => [method, OPERATION]));
}

/** All six below a prefix. */
function six(prefix: string, end = ""): Json {
  return {
    [`${prefix}/orgs${end}`]: item("get"),
    [`${prefix}/orgs/{organizationId}${end}`]: item("get", "patch", "put"),
    [`${prefix}/orgs/{organizationId}/changes${end}`]: item("get", "post"),
    [`${prefix}/orgs/{organizationId}/changes/{id}${end}`]: item("get"),
  };
}

function paths(document: Json, basePath = ""): (string | undefined)[] {
  const { operations } = described(document, { basePath });
  return OPERATION_IDS.map((id) => operations[id]?.path);
}

const below = (prefix: string, end = ""): string[] => {
  const one = `${prefix}/orgs/{organizationId}`;
  return [
    `${prefix}/orgs`,
    one,
    one,
    `${one}/changes`,
    `${one}/changes`,
    `${one}/changes/{id}`,
  ].map((path) => path + end);
};

describe("the six operations are found", () => {
  it.each(["", "/common-grants", "/api/v1/sync"])("below the prefix %j", (prefix) => {
    expect(paths(openapi(six(prefix)), "/somewhere/else")).toEqual(below(prefix));
  });

  it("with a trailing slash, unless they are also there without one", () => {
    expect(paths(openapi(six("/v1", "/")))).toEqual(below("/v1", "/"));
    expect(paths(openapi({ ...six("/v1", "/"), ...six("/v1") }))).toEqual(below("/v1"));
  });

  it("below the prefix of the base URL, even if there are others", () => {
    const document = openapi({ ...six("/admin"), ...six("/common-grants") });
    expect(paths(document, "/common-grants")).toEqual(below("/common-grants"));
    expect(paths(document, "/admin")).toEqual(below("/admin"));
    expect(paths(document, "/gateway/common-grants")).toEqual(below("/common-grants"));
  });

  it.each([
    ["the document", (servers: unknown) => openapi({ ...six("/admin"), ...six("") }, { servers })],
    [
      "the path",
      (servers: unknown) =>
        openapi({ ...six("/admin"), ...six(""), "/orgs": { get: OPERATION, servers } }),
    ],
  ])("by the servers of %s", (_where, document) => {
    const servers = [
      { url: "https://{host}/{version}", variables: { version: { default: "v2" } } },
    ];
    const [list] = paths(document(servers), "/v2");
    expect(list).toBe("/orgs");
    expect(paths(document(servers), "/v2/admin")[0]).toBe("/admin/orgs");
  });

  it("below the prefix that has most of them", () => {
    const document = openapi({ "/users/{userId}/orgs": { get: OPERATION }, ...six("/sync") });
    expect(paths(document, "/elsewhere")).toEqual(below("/sync"));
  });

  it("below a path parameter whose value is in the base URL", () => {
    const document = openapi({ ...six("/tenants/{tenant}"), "/orgs": { get: OPERATION } });
    expect(paths(document, "/tenants/7")).toEqual(below("/tenants/{tenant}"));
  });

  it("only with the method that they have", () => {
    const document = openapi({ "/orgs": { post: OPERATION }, "/orgs/{id}": { put: OPERATION } });
    expect(paths(document)).toEqual(OPERATION_IDS.map(() => undefined));
  });

  it.each(["/orgs/list", "/orgs/{id}/members", "/my-orgs", "/orgs/{id}.json", "/Orgs", "orgs"])(
    "not at %s",
    (path) => {
      expect(paths(openapi({ [path]: { get: OPERATION } }))).toEqual(
        OPERATION_IDS.map(() => undefined),
      );
    },
  );

  it("behind references", () => {
    const document = openapi(
      { "/orgs": { $ref: "#/components/pathItems/List" } },
      { components: { pathItems: { List: { get: OPERATION } } } },
    );
    expect(paths(document)[0]).toBe("/orgs");
  });

  it.each([
    undefined,
    null,
    7,
    [],
    { "/orgs": null },
    { "/orgs": { get: 7 } },
    { "/orgs": { $ref: "#/paths/~1orgs" } },
  ])("not in a document whose paths are %j", (broken) => {
    const document = { ...openapi({}), paths: broken };
    expect(paths(document)).toEqual(OPERATION_IDS.map(() => undefined));
  });
});
