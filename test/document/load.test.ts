import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";

import { startThread } from "../../src/document/thread.ts";
import { withDocument } from "../../src/document/with-document.ts";
import type { SuiteError } from "../../src/lib/errors.ts";
import { DocumentLimit } from "../../src/profile/document.ts";
import { hastyClock } from "../http/clock.ts";
import { folderWith } from "../support/folder.ts";
import { referenceTarget } from "../support/target.ts";
import { loadDocument, loaded, refusal, serving } from "./loading.ts";
import { openapi, OPERATION } from "./support.ts";

const LIST = openapi({ "/orgs": { get: OPERATION } });

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

  it.each([
    ["in a thread that was started before", async () => startThread()],
    [
      "in a new thread, where the one that was started before has ended",
      async () => {
        const thread = startThread();
        await thread.terminate();
        return thread;
      },
    ],
  ])("%s", async (_what, started) => {
    const thread = await started();
    onTestFinished(async () => void (await thread.terminate()));
    const file = join(folderWith({ "openapi.yaml": stringify(LIST) }), "openapi.yaml");
    const { document } = await withDocument({ ...referenceTarget(), openapi: file }, { thread });
    onTestFinished(() => document?.close());
    expect(document?.operations.listOrganizations?.path).toBe("/orgs");
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
      const document = await loadDocument(`${origin}/docs`, undefined, { clock });
      expect(document.operations.listOrganizations?.path).toBe("/orgs");
      expect(asked).toHaveLength(3);
      expect(clock.waits.reduce((sum, ms) => sum + ms, 0)).toBe(waitedMs);
    });

    it("unless it never does", async () => {
      const clock = hastyClock();
      const { origin } = await serving({ "/docs": 503 });
      const loading = loadDocument(`${origin}/docs`, undefined, { clock });
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

  it("a missing file, a folder", async () => {
    const folder = folderWith();
    const of = async (name: string): Promise<string> =>
      (await refusal(loadDocument(join(folder, name)))).message;
    expect(await of("missing.yaml")).toMatch(/missing\.yaml does not exist/);
    expect(await of(".")).toMatch(/is a folder/);
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
    await expect(loadDocument(`${origin}/large`)).rejects.toThrow(
      new DocumentLimit(`${origin}/large is larger than 4 MiB`),
    );
    const silent = await of("/silent", 50);
    expect(silent.message).toContain("no whole answer within 50 ms");
    const nobody = await refusal(loadDocument("http://127.0.0.1:9/docs?key=s3cret"));
    for (const error of [await of("/gone"), silent, nobody]) {
      expect(`${error.message} ${error.hint}`).not.toContain("s3cret");
    }
  });
});
