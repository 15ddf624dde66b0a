import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, test, vi } from "vitest";

import { SuiteError } from "../../src/lib/errors.ts";
import { BUNDLED_KEYS } from "../../src/profile/issuer-keys.ts";
import { loadProfile, profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { folderWith } from "../support/folder.ts";
import { BASE, complaintOf, load, UUID } from "./support.ts";

afterEach(() => {
  vi.unstubAllEnvs();
});

test("fills in the defaults", () => {
  expect(load(BASE).profile).toEqual({
    baseUrl: "http://localhost:8080",
    subject: "svc-conformance",
    organizations: {},
    writes: false,
    packs: [],
    operations: {},
    request: { headers: {}, timeoutMs: 10_000, retryAfterSeconds: 300 },
  });
});

test("denies the five operations below one organization by default", () => {
  const { denied } = load(`${BASE}\ndenied: { organization: ${UUID} }`).profile;
  expect(denied?.operations).toEqual([
    "viewOrganization",
    "editOrganization",
    "submitChange",
    "readChangesFeed",
    "readChange",
  ]);
});

test("reads JSON, indented with tabs, and a byte order mark", () => {
  expect(
    load('\ufeff{\n\t"baseUrl": "http://localhost",\n\t"writes": true\n}').profile.writes,
  ).toBe(true);
});

test("accepts UUIDs of any version", () => {
  const id = "11111111-1111-1111-1111-111111111111";
  expect(load(`${BASE}\norganizations: { primary: ${id} }`).profile.organizations.primary).toBe(id);
});

test("accepts any JSON as a body and leaves ${unique} in it", () => {
  const body = { list: [1, null, true, { "": "a ${unique} b" }], text: "${other}" };
  const { operations } = load(
    `${BASE}\noperations: { editOrganization: { body: ${JSON.stringify(body)} } }`,
  ).profile;
  expect(operations.editOrganization).toEqual({ body });
});

test("expands aliases", () => {
  const { operations } = load(
    `${BASE}\noperations:\n  listOrganizations: &page { paginated: true }\n  readChangesFeed: *page`,
  ).profile;
  expect(operations.readChangesFeed).toEqual({ paginated: true });
});

test("merges mappings, and own keys win", () => {
  const { operations } = load(
    `${BASE}\noperations:\n  submitChange: &write { body: { a: 1 }, invalidBody: { a: b } }\n  editOrganization: { <<: *write, body: { c: 1 } }`,
  ).profile;
  expect(operations.editOrganization).toEqual({ body: { c: 1 }, invalidBody: { a: "b" } });
});

describe("files", () => {
  test("a byte order mark is ignored, in a profile and in its keys", () => {
    const folder = folderWith({ "p.yaml": `\uFEFF${BASE}\ntestIssuer: { keys: . }` });
    for (const name of ["jwks.json", "private.jwks.json"]) {
      const text = readFileSync(join(BUNDLED_KEYS, name), "utf8");
      writeFileSync(join(folder, name), `\uFEFF${text}`);
    }
    const target = resolveTarget({ profile: loadProfile(join(folder, "p.yaml")) });
    expect(target.testIssuer.key.kid).toMatch(/^conformance-/);
  });

  test("a missing file is named, with a way out", async () => {
    const folder = folderWith();
    const act = (): unknown => loadProfile(join(folder, "orgsync.yaml"));
    expect(await complaintOf(act, folder)).toBe("The profile orgsync.yaml does not exist");
    expect(act).toThrow(
      expect.objectContaining({ hint: expect.stringContaining("baseUrl:") }) as SuiteError,
    );
  });

  test("a folder is not a profile", async () => {
    const folder = folderWith();
    expect(await complaintOf(() => loadProfile(folder))).toBe(
      `The profile ${folder} is a folder; name a file in it`,
    );
  });

  test("a wrong encoding is named", async () => {
    const folder = folderWith({ "p.yaml": "" });
    writeFileSync(join(folder, "p.yaml"), Buffer.from("\ufeffbaseUrl: x", "utf16le"));
    expect(await complaintOf(() => loadProfile(join(folder, "p.yaml")), folder)).toBe(
      "The profile p.yaml is not encoded in UTF-8; save it as UTF-8",
    );
  });
});

describe("a profile that is an object", () => {
  test("is checked in the same way", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "s3cret-value");
    const { profile, secrets } = profileFromObject({
      baseUrl: "http://localhost",
      audience: undefined,
      subject: "${env:CONFORMANCE_TEST_KEY}",
    });
    expect(profile).toMatchObject({ subject: "s3cret-value", writes: false });
    expect(secrets).toEqual(["s3cret-value"]);
  });

  test("is not changed", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "s3cret-value");
    const value = Object.freeze({
      baseUrl: "http://localhost",
      subject: "${env:CONFORMANCE_TEST_KEY}",
    });
    profileFromObject(value);
    expect(value.subject).toBe("${env:CONFORMANCE_TEST_KEY}");
  });

  test.each(
    Object.entries<[value: unknown, problem: string]>({
      "unknown keys": [
        { baseUrl: "http://a", request: { timeout: 1 } },
        "request.timeout is not a known key; did you mean timeoutMs?",
      ],
      "a value that is not an object": [
        null,
        "the profile is empty: it must be a mapping, or left out",
      ],
      "values that JSON cannot express": [
        { baseUrl: "http://a", operations: { submitChange: { body: new Date() } } },
        "operations.submitChange.body must be a JSON value: text, a number, true, false, null, a list or a mapping",
      ],
    }),
  )("problems have a path: %s", async (_, [value, problem]) => {
    const complaint = await complaintOf(() => profileFromObject(value));
    expect(complaint).toBe(`The profile has 1 problem:\n  ${problem}`);
  });
});
