import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";

import { afterEach, describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { type ReadDocument, readDocument } from "../../src/document/load.ts";
import { partReader } from "../../src/document/parts.ts";
import type { ReadOptions } from "../../src/document/source.ts";
import { withDocument } from "../../src/document/with-document.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { fixturePath } from "../../src/lib/package-root.ts";
import type { Target } from "../../src/profile/target.ts";
import { hastyClock } from "../http/clock.ts";
import { folderWith } from "../support/folder.ts";
import { referenceTarget } from "../support/target.ts";
import { openapi, OPERATION } from "./support.ts";

const LIST = openapi({ "/orgs": { get: OPERATION } });

function loadDocument(
  source: string,
  target: Target,
  options?: ReadOptions,
): Promise<ReadDocument> {
  return readDocument(target.basePath, partReader(source, target, options));
}

async function loaded(text: string, name = "openapi.yaml"): Promise<ReadDocument> {
  return loadDocument(join(folderWith({ [name]: text }), name), referenceTarget());
}

const closing: (() => unknown)[] = [];
afterEach(async () => {
  for (const close of closing.splice(0)) await close();
});

interface Served {
  readonly origin: string;
  readonly asked: { readonly url: string; readonly headers: IncomingHttpHeaders }[];
}

/** A text is sent with 200, a number is a status. */
type Page =
  | string
  | number
  | { readonly status: number; readonly headers: Readonly<Record<string, string>> };

/**
 * Serves pages by path. Of several, each is sent once, and the last one for ever. A path without a page is never
 * answered.
 */
async function serving(pages: Record<string, Page | Page[]>): Promise<Served> {
  const asked: Served["asked"] = [];
  const server = createServer(({ url = "", headers }, response) => {
    asked.push({ url, headers });
    const listed = pages[url.split("?", 1)[0] ?? ""];
    const page = Array.isArray(listed) && listed.length > 1 ? listed.shift() : [listed].flat()[0];
    if (typeof page === "string") response.end(page);
    else if (typeof page === "number") response.writeHead(page, { location: "/elsewhere" }).end();
    else if (page) response.writeHead(page.status, page.headers).end();
  });
  await new Promise<void>((resolve) => void server.listen(0, "127.0.0.1", resolve));
  closing.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, asked };
}

async function refusal(loading: Promise<unknown>): Promise<SuiteError> {
  const error: unknown = await loading.then(
    () => "it was read",
    (reason: unknown) => reason,
  );
  expect(error).toBeInstanceOf(SuiteError);
  return error as SuiteError;
}

describe("a document is read", () => {
  it.each([
    ["YAML", stringify(LIST)],
    ["JSON", JSON.stringify(LIST, null, 2)],
    ["JSON after a byte order mark", `\uFEFF${JSON.stringify(LIST)}`],
    [
      "YAML in flow style",
      "{ openapi: 3.0.3, info: { title: T, version: '1' }, paths: { /orgs: { get: { responses: { 200: { description: ok } } } } } }",
    ],
    [
      "YAML with merge keys",
      "openapi: 3.1.0\ninfo: { title: T, version: '1' }\nx: &x { get: &g { responses: { 200: { description: ok } } } }\npaths: { /orgs: { <<: *x } }",
    ],
  ])("in %s", async (_what, text) => {
    const { operations } = await loaded(text);
    expect(operations.listOrganizations?.path).toBe("/orgs");
    expect([...(operations.listOrganizations?.responses.keys() ?? [])]).toHaveLength(1);
  });

  it("from a URL, with the profile's headers only on the target's own origin", async () => {
    const own = await serving({ "/docs": stringify(LIST) });
    const other = await serving({ "/docs": JSON.stringify(LIST) });
    const target = referenceTarget({
      baseUrl: `${own.origin}/common-grants`,
      request: { headers: { "X-Api-Key": "k3y" } },
    });
    for (const { origin } of [own, other]) {
      const document = await loadDocument(`${origin}/docs?format=any`, target);
      expect(document.operations.listOrganizations?.path).toBe("/orgs");
    }
    expect(own.asked.map(({ url, headers }) => [url, headers["x-api-key"]])).toEqual([
      ["/docs?format=any", "k3y"],
    ]);
    expect(other.asked[0]?.headers["x-api-key"]).toBeUndefined();
  });

  describe("once the server has started,", () => {
    it.each<[string, number, Record<string, string>, number]>([
      ["that said when by 503", 503, { "retry-after": "7" }, 14_000],
      ["that said when by 429", 429, { "retry-after": "7" }, 14_000],
      ["that did not say when", 503, {}, 100],
      ["whose gateway said 502", 502, { "retry-after": "7" }, 100],
      ["whose gateway said 504", 504, {}, 100],
    ])("%s", async (_what, status, headers, waitedMs) => {
      const clock = hastyClock();
      const away = { status, headers };
      const { origin, asked } = await serving({ "/docs": [away, away, stringify(LIST)] });
      const document = await loadDocument(`${origin}/docs`, referenceTarget(), { clock });
      expect(document.operations.listOrganizations?.path).toBe("/orgs");
      expect(asked).toHaveLength(3);
      expect(clock.waits.reduce((sum, ms) => sum + ms, 0)).toBe(waitedMs);
    });

    it("unless it never does", async () => {
      const clock = hastyClock();
      const { origin } = await serving({ "/docs": 503 });
      const loading = loadDocument(`${origin}/docs`, referenceTarget(), { clock });
      expect((await refusal(loading)).message).toContain("cannot be fetched: 503");
      expect(clock.waits).not.toEqual([]);
    });
  });

  it("from a URL, but not fetched if the run is offline", async () => {
    const { origin, asked } = await serving({ "/docs": stringify(LIST) });
    const target = referenceTarget({ openapi: `${origin}/docs` });
    expect((await withDocument(target, { offline: true })).document).toBeUndefined();
    expect(asked).toEqual([]);
    expect((await withDocument(target)).document).toBeDefined();
  });
});

describe("a document that cannot be read is the user's mistake", () => {
  it.each([
    ["invalid YAML", "openapi: 3.1.0\npaths: {", /openapi\.yaml:\d+:\d+: /],
    ["a repeated key", "openapi: 3.1.0\npaths: {}\npaths: {}", /openapi\.yaml:3:1: /],
    ["a text", "hello", /is not an OpenAPI document/],
    ["nothing", "", /is not an OpenAPI document/],
    ["something else", "baseUrl: https://sync.example.com", /is not an OpenAPI document/],
    ["Swagger", 'swagger: "2.0"\npaths: {}', /is written for OpenAPI "2\.0"/],
    ["a future version", "openapi: 4.0.0\npaths: {}", /is written for OpenAPI "4\.0\.0"/],
    [
      "recursive aliases",
      `openapi: 3.1.0\na: &a [${"x, ".repeat(50)}]\nb: &b [${"*a, ".repeat(50)}]\nc: &c [${"*b, ".repeat(50)}]\nd: [${"*c, ".repeat(50)}]`,
      /alias/,
    ],
  ])("%s", async (_what, text, message) => {
    expect((await refusal(loaded(text))).message).toMatch(message);
  });

  it("a missing file, a folder, a file that is too large", async () => {
    const folder = folderWith({ "large.yaml": `#${"x".repeat(4 * 1024 * 1024)}` });
    const of = async (name: string): Promise<string> =>
      (await refusal(loadDocument(join(folder, name), referenceTarget()))).message;
    expect(await of("missing.yaml")).toMatch(/missing\.yaml does not exist/);
    expect(await of(".")).toMatch(/is a folder/);
    expect(await of("large.yaml")).toMatch(/is larger than 4 MiB/);
  });

  it("a URL that does not return it; the message does not show what may be secret in the URL", async () => {
    const { origin } = await serving({
      "/gone": 404,
      "/moved": 302,
      "/large": "x".repeat(4 * 1024 * 1024 + 1),
    });
    const of = (path: string, timeoutMs = 60_000): Promise<SuiteError> =>
      refusal(
        loadDocument(`${origin}${path}?key=s3cret`, referenceTarget({ request: { timeoutMs } })),
      );
    expect((await of("/gone")).message).toBe(
      `The OpenAPI document ${origin}/gone cannot be fetched: 404`,
    );
    expect((await of("/moved")).hint).toContain("Redirects are not followed");
    expect((await of("/large")).message).toContain("larger than 4 MiB");
    const silent = await of("/silent", 50);
    expect(silent.message).toContain("no whole answer within 50 ms");
    const nobody = await refusal(
      loadDocument("http://127.0.0.1:9/docs?key=s3cret", referenceTarget()),
    );
    for (const error of [await of("/gone"), silent, nobody]) {
      expect(`${error.message} ${error.hint}`).not.toContain("s3cret");
    }
  });
});

function whole(reference: string): string {
  return stringify(openapi({ "/orgs": { $ref: reference } }));
}

describe("a document in parts", () => {
  const PART = stringify({ get: { ...OPERATION, parameters: [{ $ref: "shared.json#/page" }] } });
  const SHARED = JSON.stringify({
    page: { name: "page", in: "query", schema: { type: "integer", maximum: 7 } },
  });

  it("is assembled from its own folder", async () => {
    const folder = folderWith({
      "openapi.yaml": whole("paths/orgs.yaml"),
      "paths/orgs.yaml": PART,
      "paths/shared.json": SHARED,
    });
    const document = await loadDocument(join(folder, "openapi.yaml"), referenceTarget());
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
    const document = await loadDocument(`${origin}/docs/openapi.yaml`, referenceTarget());
    expect(document.operations.listOrganizations?.query.has("page")).toBe(true);
  });

  it("reads nothing outside its folder", async () => {
    const folder = folderWith({
      "secret.yaml": "get: {}",
      "api/openapi.yaml": whole("../secret.yaml"),
    });
    const error = await refusal(loadDocument(join(folder, "api/openapi.yaml"), referenceTarget()));
    expect(error.message).toMatch(/refers to "\.\.\/secret\.yaml", which is outside of its folder/);
  });

  it("may refer to itself, and its parts to each other, also through other parts", async () => {
    const schemas = {
      Tree: { $ref: "tree.json" },
      Name: { $ref: "#/components/schemas/Tree/properties/name" },
    };
    const content = { "application/json": { schema: { $ref: "#/components/schemas/Name" } } };
    const folder = folderWith({
      "openapi.yaml": stringify(
        openapi(
          {
            "/orgs": { $ref: "parts/orgs.yml" },
            "/orgs/{orgId}": { get: { responses: { 200: { description: "", content } } } },
          },
          { components: { schemas } },
        ),
      ),
      "parts/orgs.yml": stringify({
        get: {
          responses: {
            200: {
              description: "",
              content: { "application/json": { schema: { $ref: "../tree.json" } } },
            },
          },
        },
      }),
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
    const document = await loadDocument(join(folder, "openapi.yaml"), referenceTarget());
    const [list, view] = [
      document.operations.listOrganizations,
      document.operations.viewOrganization,
    ];
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
      const error = await refusal(loadDocument(`${origin}/openapi.yaml`, referenceTarget()));
      expect(error.message).toContain(`refers to "${reference}", which is on another host`);
    }
  });

  it("sends requests only to its own origin", async () => {
    const stranger = await serving({ "/orgs.yaml": PART });
    const { origin } = await serving({ "/openapi.yaml": whole(`${stranger.origin}/orgs.yaml`) });
    const file = join(
      folderWith({ "openapi.yaml": whole(`${stranger.origin}/orgs.yaml`) }),
      "openapi.yaml",
    );
    for (const source of [file, `${origin}/openapi.yaml`]) {
      const error = await refusal(loadDocument(source, referenceTarget()));
      expect(error.message).toContain("which is on another host");
    }
    expect(stranger.asked).toEqual([]);
  });

  it("needs every part", async () => {
    const folder = folderWith({ "openapi.yaml": whole("orgs.yaml") });
    const error = await refusal(loadDocument(join(folder, "openapi.yaml"), referenceTarget()));
    expect(error.message).toMatch(/orgs\.yaml does not exist/);
  });
});

async function problems(document: object): Promise<readonly string[]> {
  return (await loaded(JSON.stringify(document))).problems();
}

describe("the validity of a document that can be read", () => {
  it("does not depend on what its examples contain", async () => {
    const example = { $ref: "#/nowhere", of: [{ $ref: "keys/private.jwks.json" }] };
    const content = { "application/json": { schema: { default: example }, example } };
    const get = { responses: { 200: { description: "", content } } };
    expect(await problems(openapi({ "/orgs": { get } }))).toEqual([]);
  });

  it("is reported when it is asked for", async () => {
    const { info: _info, ...without } = LIST as Record<string, unknown>;
    expect(await problems(without)).toEqual(["#/ must have required property 'info'"]);
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

  it.each(["3.0.0", "3.0.4", "3.0.17", "3.1.0", "3.1.2", "3.1.9"])(
    "does not depend on a circular schema, in %s",
    async (version) => {
      const circular = {
        type: "object",
        properties: { children: { type: "array", items: { $ref: "#/components/schemas/Tree" } } },
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
    const document = await loadDocument(fixturePath(name), referenceTarget());
    expect(await document.problems()).toEqual([]);
    expect(Object.values(document.operations)).not.toContain(undefined);
  });
});
