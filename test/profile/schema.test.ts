import { readdirSync, readFileSync } from "node:fs";
import { basename } from "node:path";

import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "oxfmt";
import { afterEach, beforeEach, describe, expect, test, vi } from "vitest";
import { parse } from "yaml";

import { SuiteError } from "../../src/lib/errors.ts";
import { fixturePath } from "../../src/lib/package-root.ts";
import { loadProfile, profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { profileJsonSchema } from "../../src/profile/schema.ts";

interface Node {
  readonly description?: string;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly anyOf?: readonly Node[];
}

const examples = readdirSync(fixturePath("profiles")).map((name) => fixturePath("profiles", name));
const ajv = new Ajv2020({ allErrors: true });
formats.default(ajv);
const validate = ajv.compile(profileJsonSchema());
const UUID = "0b6f3a52-5d0e-4a63-9f7e-1c2d3e4f5a61";

beforeEach(() => {
  vi.stubEnv("API_KEY", "an-api-key");
  vi.stubEnv("CLIENT_SECRET", "a-client-secret");
});
afterEach(() => {
  vi.unstubAllEnvs();
});

/** Every key of the schema, as a path of keys. */
function keysOf(node: Node, path: readonly string[] = []): (readonly string[])[] {
  return Object.entries(propertiesOf(node)).flatMap(([key, child]) => [
    [...path, key],
    ...keysOf(child, [...path, key]),
  ]);
}

function propertiesOf(node: Node): Readonly<Record<string, Node>> {
  return [node, ...(node.anyOf ?? [])].find(({ properties }) => properties)?.properties ?? {};
}

function accepts(profile: unknown): boolean {
  try {
    profileFromObject(profile);
    return true;
  } catch (error) {
    if (error instanceof SuiteError) return false;
    throw error;
  }
}

test("fixtures/profile.schema.json matches the code; `npx vitest run test/profile -u` writes it", async () => {
  const { code } = await format("profile.schema.json", JSON.stringify(profileJsonSchema()));
  await expect(code).toMatchFileSnapshot("../../fixtures/profile.schema.json");
});

test("every key has a description", () => {
  const root = profileJsonSchema() as Node;
  const undescribed = keysOf(root).filter((path) => {
    const node = path.reduce<Node | undefined>((at, key) => at && propertiesOf(at)[key], root);
    return !node?.description;
  });
  expect(undescribed).toEqual([]);
});

describe("example profiles", () => {
  test.each(examples.map((file) => [basename(file), file] as const))("%s is valid", (_, file) => {
    expect(loadProfile(file).profile.baseUrl).toMatch(/^https?:/);
    validate(parse(readFileSync(file, "utf8")));
    expect(validate.errors ?? []).toEqual([]);
  });

  test.each(["minimal.yaml", "read-only.yaml"])("%s resolves", (name) => {
    const target = resolveTarget({ profile: loadProfile(fixturePath("profiles", name)) });
    expect(target.testIssuer.bundled).toBe(true);
  });

  test("full.yaml has every key", () => {
    const full: unknown = parse(readFileSync(fixturePath("profiles", "full.yaml"), "utf8"));
    const missing = keysOf(profileJsonSchema() as Node).filter((path) => {
      const found = path.reduce<unknown>(
        (at, key) => (at as Record<string, unknown> | undefined)?.[key],
        full,
      );
      return found === undefined && path[0] !== "$schema";
    });
    // Any operation may have headers: two show it. A change is submitted to the same route as the feed; its pages are declared in the same way.
    // A profile names the denied subject in only one way.
    expect(missing.map((path) => path.join("."))).toEqual([
      "denied.client",
      "operations.listOrganizations.headers",
      "operations.viewOrganization.path",
      "operations.viewOrganization.headers",
      "operations.editOrganization.path",
      "operations.submitChange.path",
      "operations.submitChange.paginated",
      "operations.submitChange.items",
      "operations.submitChange.pagination",
      "operations.readChangesFeed.path",
      "operations.readChangesFeed.headers",
      "operations.readChange.path",
      "operations.readChange.headers",
    ]);
  });
});

describe("the JSON Schema and the code agree on", () => {
  const base = { baseUrl: "http://localhost" };
  test.each<[valid: boolean, profile: unknown]>([
    [true, base],
    [true, { ...base, $schema: "./profile.schema.json" }],
    [true, { ...base, operations: { readChange: false, viewOrganization: {} } }],
    [true, { ...base, operations: { viewOrganization: { organization: "" } } }],
    [true, { ...base, subject: "${env:API_KEY}" }],
    [
      true,
      { ...base, request: { timeoutMs: 1, maxRequestsPerSecond: 0.5, callback: "https://a:0" } },
    ],
    [false, { ...base, issuer: {} }],
    [false, {}],
    [false, []],
    [false, { baseUrl: "localhost" }],
    [false, { baseUrl: "http://a?b" }],
    [false, { baseUrl: "http://a b" }],
    [false, { baseUrl: "http://u@a" }],
    [false, { ...base, base: 1 }],
    [true, { ...base, claimsNamespace: "https://a/" }],
    [false, { ...base, testIssuer: { algorithm: "HS256" } }],
    [false, { ...base, testIssuer: { algorithms: [] } }],
    [true, { ...base, testIssuer: { serve: "http://[::1]:9000/" } }],
    [false, { ...base, testIssuer: { serve: "https://127.0.0.1:9000" } }],
    [false, { ...base, testIssuer: { serve: "http://127.0.0.1:9000/keys" } }],
    [true, { ...base, testIssuer: { url: "urn:issuer" } }],
    [false, { ...base, organizations: { primary: "1" } }],
    [false, { ...base, denied: {} }],
    [false, { ...base, denied: { organization: UUID, operations: ["listOrganizations"] } }],
    [false, { ...base, operations: { readChange: true } }],
    [false, { ...base, operations: { readChange: null } }],
    [false, { ...base, operations: { viewOrganization: { organization: "data" } } }],
    [false, { ...base, operations: { editOrganization: { contentType: "json" } } }],
    [false, { ...base, request: { timeoutMs: 0 } }],
    [false, { ...base, request: { timeoutMs: 2 ** 31 } }],
    [false, { ...base, request: { maxRequestsPerSecond: 0 } }],
    [false, { ...base, request: { headers: { a: 1 } } }],
    [false, { ...base, subject: "" }],
  ])("%j: %j", (valid, profile) => {
    expect({ schema: validate(profile), code: accepts(profile) }).toEqual({
      schema: valid,
      code: valid,
    });
  });

  test("placeholders instead of constrained values", () => {
    vi.stubEnv("CONFORMANCE_TEST_ORG", UUID);
    vi.stubEnv("CONFORMANCE_TEST_ALG", "ES256");
    vi.stubEnv("CONFORMANCE_TEST_URL", "http://localhost");
    const profile = {
      baseUrl: "${env:CONFORMANCE_TEST_URL}",
      organizations: { primary: "${env:CONFORMANCE_TEST_ORG}" },
      testIssuer: { algorithm: "${env:CONFORMANCE_TEST_ALG}" },
    };
    expect(validate(profile)).toBe(true);
    expect(profileFromObject(profile).profile).toMatchObject({
      organizations: { primary: UUID },
      testIssuer: { algorithm: "ES256" },
    });
  });
});
