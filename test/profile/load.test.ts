import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterEach, describe, expect, test, vi } from "vitest";

import { CLAIMS } from "../../src/contract/claims.ts";
import { SuiteError } from "../../src/lib/errors.ts";
import { loadProfile, profileFromObject } from "../../src/profile/load.ts";
import { folderWith } from "../support/folder.ts";
import { complaintOf } from "./support.ts";

const BASE = "baseUrl: http://localhost:8080";
const UUID = "0b6f3a52-5d0e-4a63-9f7e-1c2d3e4f5a61";
const ALGORITHMS = "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519";

function load(text: string): ReturnType<typeof loadProfile> {
  return loadProfile(join(folderWith({ "p.yaml": text }), "p.yaml"));
}

/** The problems of a profile, a line each: line, column and text. */
async function problemsOf(text: string): Promise<string[]> {
  const folder = folderWith({ "p.yaml": text });
  const [head = "", ...lines] = (
    await complaintOf(() => loadProfile(join(folder, "p.yaml")), folder)
  ).split("\n");
  expect(head).toBe(`p.yaml has ${lines.length === 1 ? "1 problem" : `${lines.length} problems`}:`);
  return lines.map((line) => line.replace(/^ {2}p\.yaml:/, ""));
}

afterEach(() => {
  vi.unstubAllEnvs();
});

test("fills in the defaults", () => {
  expect(load(BASE).profile).toEqual({
    baseUrl: "http://localhost:8080",
    subject: "svc-conformance",
    organizations: {},
    writes: false,
    operations: {},
    request: { headers: {}, timeoutMs: 10_000 },
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

describe("names the place and the correct form", () => {
  test.each<[name: string, text: string, problems: string[]]>([
    [
      "an empty file",
      "# to do\n",
      [
        "1:1: the profile lacks the key baseUrl. The {base_url} of the deployment, such as https://sync.example.com/common-grants; routes are appended to it.",
      ],
    ],
    ["a list", "- a", ["1:1: the profile must be a mapping, not a list"]],
    [
      "misspelt keys",
      `${BASE}\naudiance: x\nclaims_namespace: y`,
      [
        "2:1: audiance is not a known key; did you mean audience?",
        "3:1: claims_namespace is not a known key; did you mean claimsNamespace?",
      ],
    ],
    [
      "a key of another mapping",
      `${BASE}\ntimeoutMs: 3\ntestIssuer: { primary: x }`,
      [
        "2:1: timeoutMs does not belong here, but under request",
        "3:15: testIssuer.primary does not belong here, but under organizations",
      ],
    ],
    [
      "a key of another operation",
      `${BASE}\noperations:\n  readChange: { items: /x }`,
      [
        "3:17: operations.readChange.items does not belong here, but under operations.listOrganizations or operations.submitChange or operations.readChangesFeed",
      ],
    ],
    [
      "an unknown key",
      `${BASE}\norganizations:\n  third: ${UUID}`,
      ["3:3: organizations.third is not a known key; known here are primary, other"],
    ],
    [
      "an unknown top-level key",
      `${BASE}\nlogo: x`,
      [
        "2:1: logo is not a known key; known here are baseUrl, deployment, claimsNamespace, testIssuer, audience, subject, organizations, denied, writes, openapi, operations, request, authorizationServer, tokens",
      ],
    ],
    [
      "a renamed key",
      `${BASE}\nissuer: { url: https://issuer.example.com }`,
      ["2:1: issuer is now testIssuer; rename the key"],
    ],
    [
      "claims that rules test",
      `${BASE}\nclaimsNamespace: https://example.com\ntestIssuer:\n  claims:\n    client_id: me\n    scope: org:read\n    https://example.com/org_id: x`,
      [
        "6:5: testIssuer.claims.scope is not allowed here, because rules test it and the suite changes it itself: leave it out",
        "7:5: testIssuer.claims.https://example.com/org_id is not allowed here, because rules test it and the suite changes it itself: leave it out; claimsNamespace sets it",
      ],
    ],
    [
      "header parameters that rules test",
      `${BASE}\ntestIssuer: { header: { x: 1, alg: ES256, typ: 7 } }`,
      [
        "2:31: testIssuer.header.alg is not allowed here, because rules test it and the suite changes it itself: leave it out; testIssuer.algorithm sets it",
        "2:48: testIssuer.header.typ must be text, such as at+jwt",
      ],
    ],
    [
      "a client certificate without its key",
      `${BASE}\nrequest: { cert: client.pem }`,
      ["2:18: request.cert needs its private key too: request.key"],
    ],
    [
      "a version that YAML takes for a number",
      `${BASE}\ndeployment: { name: acme, version: 4.2 }`,
      ["2:36: deployment.version must be text, not a number; put it in quotes"],
    ],
    [
      "an ETag for an operation that does not write",
      `${BASE}\noperations:\n  viewOrganization: { headers: { If-Match: "\${etag}" } }`,
      [
        "3:44: operations.viewOrganization.headers.If-Match must not hold ${etag}, which is replaced in operations.editOrganization.headers and operations.submitChange.headers only",
      ],
    ],
    [
      "an ETag without viewOrganization",
      `${BASE}\noperations:\n  viewOrganization: false\n  editOrganization: { headers: { If-Match: "\${etag}" } }`,
      [
        "4:44: operations.editOrganization.headers.If-Match needs viewOrganization for ${etag}, which is not offered",
      ],
    ],
    [
      "keys that every object has",
      `${BASE}\ntestIssuer:\n  constructor: 1\n  __proto__: { a: 1 }`,
      [
        "3:3: testIssuer.constructor is not a known key; known here are url, keys, algorithm, algorithms, claims, header, serve",
        "4:3: testIssuer.__proto__ is not a known key; known here are url, keys, algorithm, algorithms, claims, header, serve",
      ],
    ],
    [
      "a key given twice",
      `${BASE}\nwrites: true\n"writes": false`,
      ["3:1: the key writes is given twice; keep one of them"],
    ],
    [
      "a missing key of a mapping",
      `${BASE}\ndenied:\n  subject: x`,
      ["2:1: denied lacks the key organization. The organization that it must not act on."],
    ],
    [
      "wrong types",
      `${BASE}\nwrites: yes\nsubject: 7\ntestIssuer: x\norganizations: []`,
      [
        "2:9: writes must be true or false without quotes; in YAML yes, no, on and off are text",
        "3:10: subject must be text, not a number; put it in quotes",
        "4:13: testIssuer must be false or a mapping",
        "5:16: organizations must be a mapping, not a list",
      ],
    ],
    [
      "empty values",
      `${BASE}\nopenapi:\nsubject: ""\ntestIssuer: { algorithms: [] }`,
      [
        "2:1: openapi is empty: it must be text, or left out",
        "3:10: subject must not be empty",
        "4:27: testIssuer.algorithms must name an algorithm",
      ],
    ],
    [
      "numbers",
      `${BASE}\nrequest:\n  timeoutMs: "5"\n  maxRequestsPerSecond: 0`,
      [
        "3:14: request.timeoutMs must be a number, not text; write it without quotes",
        "4:25: request.maxRequestsPerSecond must be more than 0",
      ],
    ],
    [
      "a fraction",
      `${BASE}\nrequest: { timeoutMs: 1.5 }`,
      ["2:23: request.timeoutMs must be a whole number"],
    ],
    [
      "a negative time",
      `${BASE}\nrequest: { timeoutMs: -1 }`,
      ["2:23: request.timeoutMs must be 1 or more milliseconds"],
    ],
    [
      "an invalid UUID",
      `${BASE}\norganizations: { primary: abc }`,
      ["2:27: organizations.primary must be a UUID such as 6f1c2b9e-8a44-4c0f-9d0e-2f5b7a1c3d10"],
    ],
    [
      "an invalid JSON Pointer",
      `${BASE}\noperations: { viewOrganization: { organization: data~2 } }`,
      [
        "2:49: operations.viewOrganization.organization must be a JSON Pointer (RFC 6901) such as /data/items",
      ],
    ],
    [
      "an invalid media type",
      `${BASE}\noperations: { editOrganization: { contentType: json } }`,
      [
        "2:48: operations.editOrganization.contentType must be a media type such as application/merge-patch+json",
      ],
    ],
    [
      "unknown algorithms",
      `${BASE}\ntestIssuer: { algorithm: RS265, algorithms: [none] }`,
      [
        `2:26: testIssuer.algorithm must be one of ${ALGORITHMS}; did you mean RS256?`,
        `2:46: testIssuer.algorithms[0] must be one of ${ALGORITHMS}`,
      ],
    ],
    [
      "operations that are neither false nor a mapping",
      `${BASE}\noperations:\n  readChange: true\n  submitChange:`,
      [
        "3:15: operations.readChange must be false or a mapping; leave it out when it is offered and there is nothing to add",
        "4:3: operations.submitChange must be false or a mapping; leave it out when it is offered and there is nothing to add",
      ],
    ],
    [
      "a list as a denied operation",
      `${BASE}\ndenied: { organization: ${UUID}, operations: [listOrganizations] }`,
      [
        "2:76: denied.operations[0] must be one of viewOrganization, editOrganization, submitChange, readChangesFeed, readChange",
      ],
    ],
    [
      "values that JSON cannot express",
      `${BASE}\noperations: { submitChange: { body: { a: .nan } } }`,
      [
        "2:42: operations.submitChange.body.a must be a JSON value: text, a number, true, false, null, a list or a mapping",
      ],
    ],
    [
      "a value inside itself",
      `${BASE}\noperations: { submitChange: { body: &b [*b] } }`,
      ["2:13: operations is nested too deeply, or contains itself"],
    ],
    [
      "one organization twice",
      `${BASE}\norganizations: { primary: ${UUID}, other: ${UUID.toUpperCase()} }`,
      ["2:72: organizations.other must be another organization than organizations.primary"],
    ],
    [
      "an organization both accessible and denied",
      `${BASE}\norganizations: { other: ${UUID} }\ndenied: { organization: ${UUID} }`,
      [
        "3:25: denied.organization must be none of organizations, on which the subject may act; name another organization or another denied.subject",
      ],
    ],
    [
      "headers",
      `${BASE}\nrequest:\n  headers:\n    authorization: x\n    A: one\n    a: two\n    b c: d\n    E: " f"`,
      [
        "4:5: request.headers.authorization is set by the suite itself; leave it out",
        "6:5: request.headers.a is given twice: header names ignore case",
        "7:5: request.headers.b c is not a header name",
        "8:8: request.headers.E must be one line of printable ASCII without spaces at its ends",
      ],
    ],
    [
      "the claim instead of its namespace",
      `${BASE}\nclaimsNamespace: https://example.com/org_id`,
      ["2:18: claimsNamespace must not contain the claim's own name: /org_id is appended to it"],
    ],
    [
      "other URL schemes",
      `${BASE}\nrequest: { callback: "ftp://x" }`,
      ["2:22: request.callback must begin with http:// or https://"],
    ],
    [
      "a value behind an alias",
      `${BASE}\nsubject: &s 7\naudience: *s`,
      [
        "2:13: subject must be text, not a number; put it in quotes",
        "3:11: audience must be text, not a number; put it in quotes",
      ],
    ],
  ])("%s", async (_, text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });
});

describe("explains what is not YAML", () => {
  test.each<[text: string, problems: string[]]>([
    ["a:\n\tb: 1", ["2:1: tabs cannot indent; use spaces"]],
    ["a: @b", ["1:4: a text that begins with this character needs quotes"]],
    [
      "a: b: c",
      [
        "1:4: a colon and a space begin a mapping, which cannot stand here; quote the text, or check indentation",
      ],
    ],
    ["a: { b: ${env:C} }", ["1:10: a text with ${…} needs quotes inside braces and brackets"]],
    ['{"a": 1 "b": 2}', ["1:7: a comma is missing around here, or a text needs quotes"]],
    [
      "a: [1\nb: 2",
      ["2:1: a brace or bracket before this is not closed, or the line needs more indentation"],
    ],
    [
      "a: 1\n---\nb: 2",
      ["2:1: a second document begins here; the file is one document: remove the ---"],
    ],
    [
      '{"a": "1" "b": 2}',
      ["1:11: this cannot stand here; check indentation, commas and quotes around it"],
    ],
    ["a: !b c", ["1:4: tags (!) mean nothing here; leave it out, or quote the text"]],
    ["a: *b", ["1:4: no anchor &b comes before *b; put a text that begins with * in quotes"]],
    ["? [a]\n: b", ["1:3: a key must be plain text"]],
  ])("%j", async (text, problems) => {
    expect(await problemsOf(text)).toEqual(problems);
  });
});

describe("survives", () => {
  const levels = Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`,
  );
  test.each<[name: string, text: string, problem: RegExp]>([
    [
      "aliases of aliases",
      `a0: &a0 [x]\n${levels.join("\n")}`,
      /1:1: its aliases \(\*\) expand to too much/,
    ],
    ["depth", "[".repeat(60_000), /1:\d+: this is nested too deeply/],
    ["size", `# ${"x".repeat(70_000)}`, /^The profile p\.yaml is larger than 64 KiB$/],
    [
      "a thousand problems",
      Array.from({ length: 1000 }, (_, n) => `x${n}: 1`).join("\n"),
      /\n {2}and 981 more$/,
    ],
  ])("%s", async (_, text, problem) => {
    const folder = folderWith({ "p.yaml": text });
    expect(await complaintOf(() => loadProfile(join(folder, "p.yaml")), folder)).toMatch(problem);
  });
});

describe("files", () => {
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

describe("${env:NAME}", () => {
  test("is replaced anywhere in a string, and its value is collected as a secret once", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "s3cret-value");
    vi.stubEnv("CONFORMANCE_TEST_ORG", UUID);
    const { profile, secrets } = load(
      `${BASE}\nrequest:\n  headers: { X-Api-Key: "\${env:CONFORMANCE_TEST_KEY}", X-Other: "k=\${env:CONFORMANCE_TEST_KEY};" }\norganizations:\n  primary: \${env:CONFORMANCE_TEST_ORG}`,
    );
    expect(profile.request.headers).toEqual({
      "X-Api-Key": "s3cret-value",
      "X-Other": "k=s3cret-value;",
    });
    expect(profile.organizations.primary).toBe(UUID);
    expect(secrets).toEqual(["s3cret-value", UUID]);
  });

  test("is not replaced inside the value of a variable", () => {
    vi.stubEnv("CONFORMANCE_TEST_KEY", "${env:HOME}");
    expect(load(`${BASE}\nsubject: \${env:CONFORMANCE_TEST_KEY}`).profile.subject).toBe(
      "${env:HOME}",
    );
  });

  test("must be set, well formed, and in a place where it can be replaced", async () => {
    vi.stubEnv("CONFORMANCE_TEST_EMPTY", "");
    vi.stubEnv("CONFORMANCE_TEST_UNSET", undefined);
    const text = [
      BASE,
      "subject: ${env:CONFORMANCE_TEST_UNSET}",
      "audience: a-${env:CONFORMANCE_TEST_EMPTY}",
      "organizations: { primary: '${env:CONFORMANCE_TEST_UNSET}' }",
      "request:",
      "  headers:",
      "    A: ${ENV:KEY}",
      "    B: ${env.KEY}",
      "    C: ${env:A-B}",
      "    D: ${unique}",
      "operations: { editOrganization: { body: { a: '${uniqe}' } } }",
    ].join("\n");
    expect(await problemsOf(text)).toEqual([
      "2:10: subject needs the environment variable CONFORMANCE_TEST_UNSET, which is not set",
      "3:11: audience needs the environment variable CONFORMANCE_TEST_EMPTY, which is empty",
      "4:27: organizations.primary needs the environment variable CONFORMANCE_TEST_UNSET, which is not set",
      "7:8: request.headers.A holds ${ENV:KEY}: write ${env:KEY}",
      "8:8: request.headers.B holds ${env.KEY}: write ${env:KEY}",
      "9:8: request.headers.C holds ${env:A-B}: write ${env:NAME}",
      "10:8: request.headers.D must not hold ${unique}, which is replaced in the bodies and headers of operations only",
      "11:46: operations.editOrganization.body.a holds ${uniqe}: write ${unique}",
    ]);
  });

  test("never appears in a message with its value", async () => {
    const secret = "hunter2 \u00e9";
    vi.stubEnv("CONFORMANCE_TEST_KEY", secret);
    const placeholder = "'${env:CONFORMANCE_TEST_KEY}'";
    const lines = await problemsOf(
      `baseUrl: ${placeholder}\norganizations: { primary: ${placeholder} }\ntestIssuer: { algorithm: ${placeholder} }\nrequest: { timeoutMs: ${placeholder}, headers: { a: ${placeholder} } }`,
    );
    expect(lines).toHaveLength(5);
    expect(lines.join("\n")).not.toContain("hunter2");
  });

  test("a password in a URL never appears in a message", async () => {
    const lines = await problemsOf("baseUrl: http://user:hunter2@localhost/");
    expect(lines).toEqual([
      "1:10: baseUrl must not contain a user name or password; put credentials into request.headers",
    ]);
  });
});

test.each([
  ...CLAIMS.map(({ name }) => ["claims", name]),
  ...["alg", "kid", "crit", "b64", "jwk", "jku", "x5u", "x5c"].map((name) => ["header", name]),
])("testIssuer.%s cannot have %s", (part = "", name = "") => {
  expect(() => load(`${BASE}\ntestIssuer: { ${part}: { ${name}: x } }`)).toThrow("rules test it");
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

  test.each<[name: string, value: unknown, problems: string[]]>([
    [
      "unknown keys",
      { baseUrl: "http://a", request: { timeout: 1 } },
      ["request.timeout is not a known key; did you mean timeoutMs?"],
    ],
    [
      "a value that is not an object",
      null,
      ["the profile is empty: it must be a mapping, or left out"],
    ],
    [
      "values that JSON cannot express",
      { baseUrl: "http://a", operations: { submitChange: { body: new Date() } } },
      [
        "operations.submitChange.body must be a JSON value: text, a number, true, false, null, a list or a mapping",
      ],
    ],
  ])("problems have a path: %s", async (_, value, problems) => {
    const count = problems.length === 1 ? "1 problem" : `${problems.length} problems`;
    expect(await complaintOf(() => profileFromObject(value))).toBe(
      `The profile has ${count}:\n${problems.map((line) => `  ${line}`).join("\n")}`,
    );
  });
});
