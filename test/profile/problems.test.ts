import { join } from "node:path";

import { describe, expect, test } from "vitest";

import { CLAIMS } from "../../src/contract/claims.ts";
import { loadProfile } from "../../src/profile/load.ts";
import { folderWith } from "../support/folder.ts";
import { BASE, complaintOf, load, problemsOf, UUID } from "./support.ts";

const ALGORITHMS = "RS256, RS384, RS512, PS256, PS384, PS512, ES256, ES384, ES512, EdDSA, Ed25519";

describe("names the place and the correct form", () => {
  test.each(
    Object.entries<[below: string, ...problems: string[]]>({
      "misspelt keys": [
        "audiance: x\nclaims_namespace: y",
        "2:1: audiance is not a known key; did you mean audience?",
        "3:1: claims_namespace is not a known key; did you mean claimsNamespace?",
      ],
      "a key of another mapping": [
        "timeoutMs: 3\ntestIssuer: { primary: x }",
        "2:1: timeoutMs does not belong here, but under request",
        "3:15: testIssuer.primary does not belong here, but under organizations",
      ],
      "a key of another operation": [
        "operations:\n  readChange: { items: /x }",
        "3:17: operations.readChange.items does not belong here, but under operations.listOrganizations or operations.submitChange or operations.readChangesFeed",
      ],
      "an unknown key": [
        `organizations:\n  third: ${UUID}`,
        "3:3: organizations.third is not a known key; known here are primary, other",
      ],
      "an unknown top-level key": [
        "logo: x",
        "2:1: logo is not a known key; known here are baseUrl, deployment, claimsNamespace, testIssuer, audience, subject, organizations, denied, writes, packs, openapi, operations, request, authorizationServer, tokens",
      ],
      "a renamed key": [
        "issuer: { url: https://issuer.example.com }",
        "2:1: issuer is now testIssuer; rename the key",
      ],
      "claims that rules test": [
        "claimsNamespace: https://example.com\ntestIssuer:\n  claims:\n    client_id: me\n    scope: org:read\n    https://example.com/org_id: x",
        "6:5: testIssuer.claims.scope is not allowed here, because rules test it and the suite changes it itself: leave it out",
        "7:5: testIssuer.claims.https://example.com/org_id is not allowed here, because rules test it and the suite changes it itself: leave it out; claimsNamespace sets it",
      ],
      "header parameters that rules test": [
        "testIssuer: { header: { x: 1, alg: ES256, typ: 7 } }",
        "2:31: testIssuer.header.alg is not allowed here, because rules test it and the suite changes it itself: leave it out; testIssuer.algorithm sets it",
        "2:48: testIssuer.header.typ must be text, such as at+jwt",
      ],
      "a client certificate without its key": [
        "request: { cert: client.pem }",
        "2:18: request.cert needs its private key too: `request.key`",
      ],
      "a version that YAML takes for a number": [
        "deployment: { name: acme, version: 4.2 }",
        "2:36: deployment.version must be text, not a number; put it in quotes",
      ],
      "an ETag for an operation that does not write": [
        'operations:\n  viewOrganization: { headers: { If-Match: "${etag}" } }',
        "3:44: operations.viewOrganization.headers.If-Match must not hold ${etag}, which is replaced in `operations.editOrganization.headers` and `operations.submitChange.headers` only",
      ],
      "an ETag without viewOrganization": [
        'operations:\n  viewOrganization: false\n  editOrganization: { headers: { If-Match: "${etag}" } }',
        "4:44: operations.editOrganization.headers.If-Match needs viewOrganization for ${etag}, which is not offered",
      ],
      "keys that every object has": [
        "testIssuer:\n  constructor: 1\n  __proto__: { a: 1 }",
        "3:3: testIssuer.constructor is not a known key; known here are url, keys, algorithm, algorithms, claims, header, serve",
        "4:3: testIssuer.__proto__ is not a known key; known here are url, keys, algorithm, algorithms, claims, header, serve",
      ],
      "a key given twice": [
        'writes: true\n"writes": false',
        "3:1: the key `writes` is given twice; keep one of them",
      ],
      "a missing key of a mapping": [
        "denied:\n  subject: x",
        "2:1: denied lacks the key organization. The organization that it must not act on.",
      ],
      "wrong types": [
        "writes: yes\nsubject: 7\ntestIssuer: x\norganizations: []",
        "2:9: writes must be true or false without quotes; in YAML yes, no, on and off are text",
        "3:10: subject must be text, not a number; put it in quotes",
        "4:13: testIssuer must be false or a mapping",
        "5:16: organizations must be a mapping, not a list",
      ],
      "empty values": [
        'openapi:\nsubject: ""\ntestIssuer: { algorithms: [] }',
        "2:1: openapi is empty: it must be text, or left out",
        "3:10: subject must not be empty",
        "4:27: testIssuer.algorithms must name an algorithm",
      ],
      numbers: [
        'request:\n  timeoutMs: "5"\n  maxRequestsPerSecond: 0',
        "3:14: request.timeoutMs must be a number, not text; write it without quotes",
        "4:25: request.maxRequestsPerSecond must be more than 0",
      ],
      "a fraction": [
        "request: { timeoutMs: 1.5 }",
        "2:23: request.timeoutMs must be a whole number",
      ],
      "a negative time": [
        "request: { timeoutMs: -1 }",
        "2:23: request.timeoutMs must be 1 or more milliseconds",
      ],
      "an invalid UUID": [
        "organizations: { primary: abc }",
        "2:27: organizations.primary must be a UUID such as 6f1c2b9e-8a44-4c0f-9d0e-2f5b7a1c3d10",
      ],
      "an invalid JSON Pointer": [
        "operations: { viewOrganization: { organization: data~2 } }",
        "2:49: operations.viewOrganization.organization must be a JSON Pointer (RFC 6901) such as /data/items",
      ],
      "an invalid media type": [
        "operations: { editOrganization: { contentType: json } }",
        "2:48: operations.editOrganization.contentType must be a media type such as application/merge-patch+json",
      ],
      "unknown algorithms": [
        "testIssuer: { algorithm: RS265, algorithms: [none] }",
        `2:26: testIssuer.algorithm must be one of ${ALGORITHMS}; did you mean RS256?`,
        `2:46: testIssuer.algorithms[0] must be one of ${ALGORITHMS}`,
      ],
      "operations that are neither false nor a mapping": [
        "operations:\n  readChange: true\n  submitChange:",
        "3:15: operations.readChange must be false or a mapping; leave it out when it is offered and there is nothing to add",
        "4:3: operations.submitChange must be false or a mapping; leave it out when it is offered and there is nothing to add",
      ],
      "a list as a denied operation": [
        `denied: { organization: ${UUID}, operations: [listOrganizations] }`,
        "2:76: denied.operations[0] must be one of viewOrganization, editOrganization, submitChange, readChangesFeed, readChange",
      ],
      "values that JSON cannot express": [
        "operations: { submitChange: { body: { a: .nan } } }",
        "2:42: operations.submitChange.body.a must be a JSON value: text, a number, true, false, null, a list or a mapping",
      ],
      "a value inside itself": [
        "operations: { submitChange: { body: &b [*b] } }",
        "2:13: operations is nested too deeply, or contains itself",
      ],
      "one organization twice": [
        `organizations: { primary: ${UUID}, other: ${UUID.toUpperCase()} }`,
        "2:72: organizations.other must be another organization than `organizations.primary`",
      ],
      "one organization twice, once with its writes": [
        `organizations: { primary: ${UUID}, other: { id: ${UUID}, writes: true } }`,
        "2:72: organizations.other must be another organization than `organizations.primary`",
      ],
      "a second organization of another form": [
        "organizations: { other: abc }",
        "2:25: organizations.other must be a UUID such as 6f1c2b9e-8a44-4c0f-9d0e-2f5b7a1c3d10",
      ],
      "a second organization of another type": [
        "organizations: { other: 7 }",
        "2:25: organizations.other must be a UUID, or a mapping with id and writes",
      ],
      "a second organization with a mistake inside": [
        `organizations: { other: { id: ${UUID}, write: true } }`,
        "2:69: organizations.other.write is not a known key; did you mean writes?",
      ],
      "an organization both accessible and denied": [
        `organizations: { other: ${UUID} }\ndenied: { organization: ${UUID} }`,
        "3:25: denied.organization must be none of organizations, on which the subject may act; name another organization or another `denied.subject`",
      ],
      headers: [
        'request:\n  headers:\n    authorization: x\n    A: one\n    a: two\n    b c: d\n    E: " f"',
        "4:5: request.headers.authorization is set by the suite itself; leave it out",
        "6:5: request.headers.a is given twice: header names ignore case",
        "7:5: request.headers.b c is not a header name",
        "8:8: request.headers.E must be one line of printable ASCII without spaces at its ends",
      ],
      "the claim instead of its namespace": [
        "claimsNamespace: https://example.com/org_id",
        "2:18: claimsNamespace must not contain the claim's own name: /org_id is appended to it",
      ],
      "other URL schemes": [
        'request: { callback: "ftp://x" }',
        "2:22: request.callback must begin with http:// or https://",
      ],
      "a value behind an alias": [
        "subject: &s 7\naudience: *s",
        "2:13: subject must be text, not a number; put it in quotes",
        "3:11: audience must be text, not a number; put it in quotes",
      ],
    }),
  )("%s", async (_, [below, ...problems]) => {
    expect(await problemsOf(`${BASE}\n${below}`)).toEqual(problems);
  });
});

test.each([
  ...CLAIMS.map(({ name }) => ["claims", name]),
  ...["alg", "kid", "crit", "b64", "jwk", "jku", "x5u", "x5c"].map((name) => ["header", name]),
])("testIssuer.%s cannot have %s", (part = "", name = "") => {
  expect(() => load(`${BASE}\ntestIssuer: { ${part}: { ${name}: x } }`)).toThrow("rules test it");
});

describe("explains what is not YAML, or no mapping of a base URL", () => {
  test.each<[text: string, problem: string]>([
    [
      "# to do\n",
      "1:1: the profile lacks the key baseUrl. The {base_url} of the deployment, such as https://sync.example.com/common-grants; routes are appended to it.",
    ],
    ["- a", "1:1: the profile must be a mapping, not a list"],
    ["a:\n\tb: 1", "2:1: tabs cannot indent; use spaces"],
    ["a: @b", "1:4: a text that begins with this character needs quotes"],
    [
      "a: b: c",
      "1:4: a colon and a space begin a mapping, which cannot stand here; quote the text, or check indentation",
    ],
    ["a: { b: ${env:C} }", "1:10: a text with ${…} needs quotes inside braces and brackets"],
    ['{"a": 1 "b": 2}', "1:7: a comma is missing around here, or a text needs quotes"],
    [
      "a: [1\nb: 2",
      "2:1: a brace or bracket before this is not closed, or the line needs more indentation",
    ],
    [
      "a: 1\n---\nb: 2",
      "2:1: a second document begins here; the file is one document: remove the ---",
    ],
    [
      '{"a": "1" "b": 2}',
      "1:11: this cannot stand here; check indentation, commas and quotes around it",
    ],
    ["a: !b c", "1:4: tags (!) mean nothing here; leave it out, or quote the text"],
    ["a: *b", "1:4: no anchor &b comes before *b; put a text that begins with * in quotes"],
    ["? [a]\n: b", "1:3: a key must be plain text"],
    ["a: { <<: 1 }", "1:6: << takes a mapping, an alias of one, or a list of them"],
  ])("%j", async (text, problem) => {
    expect(await problemsOf(text)).toEqual([problem]);
  });
});

describe("survives", () => {
  const levels = Array.from(
    { length: 9 },
    (_, n) => `a${n + 1}: &a${n + 1} [${`*a${n},`.repeat(9)}]`,
  );
  test.each(
    Object.entries<[text: string, problem: RegExp]>({
      "aliases of aliases": [
        `a0: &a0 [x]\n${levels.join("\n")}`,
        /1:1: its aliases \(\*\) expand to too much/,
      ],
      depth: ["[".repeat(60_000), /1:\d+: this is nested too deeply/],
      size: [`# ${"x".repeat(70_000)}`, /^The profile p\.yaml is larger than 64 KiB$/],
      "a thousand problems": [
        Array.from({ length: 1000 }, (_, n) => `x${n}: 1`).join("\n"),
        /\n {2}and 981 more$/,
      ],
    }),
  )("%s", async (_, [text, problem]) => {
    const folder = folderWith({ "p.yaml": text });
    expect(await complaintOf(() => loadProfile(join(folder, "p.yaml")), folder)).toMatch(problem);
  });
});
