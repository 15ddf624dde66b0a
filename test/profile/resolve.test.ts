import { generateKeyPairSync } from "node:crypto";
import { join } from "node:path";
import { rootCertificates } from "node:tls";

import { describe, expect, onTestFinished, test, vi } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { noteTarget } from "../../src/engine/target-note.ts";
import { fixturePath } from "../../src/lib/package-root.ts";
import { refuseBundledKeys } from "../../src/profile/issuer-keys.ts";
import { loadProfile, profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";
import { CERTIFICATE } from "../http/certificate.ts";
import { folderWith } from "../support/folder.ts";
import { complaintOf } from "./support.ts";

const UUID = "0b6f3a52-5d0e-4a63-9f7e-1c2d3e4f5a61";

function resolveObject(value: Record<string, unknown>, folder?: string): Target {
  return resolveTarget({
    profile: profileFromObject({ baseUrl: "http://localhost", ...value }, folder),
  });
}

describe("base URLs", () => {
  test.each<[baseUrl: string, origin: string, basePath: string]>([
    ["https://sync.example.com", "https://sync.example.com", ""],
    ["https://sync.example.com/", "https://sync.example.com", ""],
    ["https://sync.example.com/common-grants", "https://sync.example.com", "/common-grants"],
    ["https://sync.example.com/common-grants/", "https://sync.example.com", "/common-grants"],
    ["https://sync.example.com:443/a/b//", "https://sync.example.com", "/a/b"],
    ["http://sync.example.com:80", "http://sync.example.com", ""],
    ["http://sync.example.com:8080/v1", "http://sync.example.com:8080", "/v1"],
    ["https://SYNC.example.com/V1", "https://sync.example.com", "/V1"],
    ["http://[::1]:8080/x/", "http://[::1]:8080", "/x"],
    ["http://127.0.0.1:3000/a%20b/@c", "http://127.0.0.1:3000", "/a%20b/@c"],
  ])("%s", (baseUrl, origin, basePath) => {
    const target = resolveTarget({ baseUrl });
    expect(target).toMatchObject({ baseUrl, origin, basePath, audience: baseUrl });
    expect(resolveObject({ baseUrl })).toEqual(target);
  });

  test.each(
    Object.entries({
      "must begin with http:// or https://": [
        "",
        "localhost:3000",
        "ftp://localhost",
        "http:/localhost",
      ],
      "must not contain spaces or backslashes": ["http://localhost ", "http://localhost\\x"],
      "is not a URL: its host or port is malformed": [
        "http://",
        "http:///x",
        "http://localhost:99999",
        "http://[::1",
      ],
      "must not contain a user name or password; put credentials into `request.headers`": [
        "http://user:secret@localhost",
        "http://@localhost",
      ],
      "must end with its path, without a query (?) or fragment (#): routes are appended to it": [
        "http://localhost?",
        "http://localhost/x?y=z",
        "http://localhost/#",
      ],
    }),
  )("a base URL %s", async (complaint, baseUrls) => {
    for (const baseUrl of baseUrls) {
      const found = await complaintOf(() => resolveTarget({ baseUrl }));
      expect([baseUrl, found]).toEqual([baseUrl, `The base URL ${complaint}`]);
    }
  });

  test("a base URL must be given", async () => {
    expect(await complaintOf(() => resolveTarget({}))).toBe("There is no base URL to certify");
  });

  test("a base URL on the command line replaces the profile's, and the default audience", () => {
    const profile = profileFromObject({ baseUrl: "http://a/", subject: "s" });
    const target = resolveTarget({ profile, baseUrl: "http://b/" });
    expect(target).toMatchObject({ baseUrl: "http://b/", audience: "http://b/", subject: "s" });
  });

  test("a stated audience is kept", () => {
    const profile = profileFromObject({ baseUrl: "http://a", audience: "urn:sync" });
    expect(resolveTarget({ profile, baseUrl: "http://b" }).audience).toBe("urn:sync");
  });
});

test("a base URL alone is enough", () => {
  expect(resolveTarget({ baseUrl: "https://sync.example.com" })).toMatchObject({
    bindingClaim: undefined,
    subject: "svc-conformance",
    organizations: {},
    denied: undefined,
    writes: false,
    openapi: undefined,
    operations: Object.fromEntries(OPERATION_IDS.map((id) => [id, {}])),
    request: { headers: {}, timeoutMs: 10_000, callback: undefined },
    testIssuer: { url: "https://issuer.example.com", algorithms: ["RS256"], bundled: true },
  });
});

test("operations that are not offered are undefined", () => {
  const { operations } = resolveObject({
    operations: { submitChange: false, readChange: { changeId: "c" } },
  });
  expect(operations.submitChange).toBeUndefined();
  expect(operations.readChange).toEqual({ changeId: "c" });
  expect(Object.keys(operations)).toHaveLength(6);
});

test("the binding claim is in the claims namespace", () => {
  const target = resolveObject({ claimsNamespace: "https://example.com" });
  expect(target.bindingClaim).toBe("https://example.com/org_id");
});

test("the denied subject is by default the profile's subject", () => {
  const denied = { organization: UUID, operations: ["readChange"] };
  expect(resolveObject({ subject: "s", denied }).denied).toEqual({ ...denied, subject: "s" });
  expect(resolveObject({ denied: { ...denied, subject: "t" } }).denied?.subject).toBe("t");
});

describe("writes", () => {
  const primary = { primary: UUID };
  test.each<[writes: boolean, organizations: object, readOnly: boolean, expected: boolean]>([
    [true, primary, false, true],
    [true, primary, true, false],
    [false, primary, false, false],
    // Consent to change an organization is void when the profile does not say which one.
    [true, { other: UUID }, false, false],
  ])("writes %s, organizations %j, read-only %s", (writes, organizations, readOnly, expected) => {
    const profile = profileFromObject({ baseUrl: "http://localhost", writes, organizations });
    expect(resolveTarget({ profile, readOnly }).writes).toBe(expected);
  });
});

test.each<[other: unknown, writes: boolean, readOnly: boolean, expected: boolean]>([
  [UUID, true, false, false],
  [{ id: UUID }, true, false, false],
  [{ id: UUID, writes: true }, true, false, true],
  [{ id: UUID, writes: true }, false, false, false],
  [{ id: UUID, writes: true }, true, true, false],
])("the other organization %j, writes %s, read-only %s", (other, writes, readOnly, expected) => {
  const organizations = { primary: "7c9d2e41-3b8a-4f15-8e6d-9a0b1c2d3e4f", other };
  const profile = profileFromObject({ baseUrl: "http://localhost", writes, organizations });
  const target = resolveTarget({ profile, readOnly });
  expect([target.organizations.other, target.otherWrites]).toEqual([UUID, expected]);
});

describe("the key that signs good tokens", () => {
  test.each<[issuer: object, kid: string, algorithms: string[]]>([
    [{}, "conformance-rs256", ["RS256"]],
    [{ algorithm: "ES256" }, "conformance-es256", ["ES256"]],
    [
      { algorithm: "ES256", algorithms: ["RS256", "ES256"] },
      "conformance-es256",
      ["RS256", "ES256"],
    ],
    [{ algorithms: ["EdDSA", "PS256"] }, "conformance-ps256", ["EdDSA", "PS256"]],
    [{ algorithms: ["RS256", "ES512", "RS256"] }, "conformance-rs256", ["RS256", "ES512"]],
  ])("%j", (issuer, kid, algorithms) => {
    const target = resolveObject({ testIssuer: issuer });
    expect(target.testIssuer.key.kid).toBe(kid);
    expect(target.testIssuer.algorithms).toEqual(algorithms);
    expect(target.testIssuer.keys).toHaveLength(5);
  });

  test.each<[issuer: object, complaint: string]>([
    [
      { algorithm: "ES384" },
      "testIssuer.algorithm asks for ES384, but none of the bundled keys signs with that",
    ],
    [
      { algorithms: ["ES384", "ES512"] },
      "testIssuer.algorithms asks for ES384, ES512, but none of the bundled keys signs with that",
    ],
    [
      { algorithm: "RS256", algorithms: ["ES256"] },
      "testIssuer.algorithm is RS256, which `testIssuer.algorithms` does not list: good tokens must use an algorithm that the deployment supports",
    ],
    [{ keys: "./nowhere" }, "testIssuer.keys: nowhere/jwks.json does not exist"],
  ])("%j is refused", async (issuer, complaint) => {
    const folder = folderWith();
    expect(await complaintOf(() => resolveObject({ testIssuer: issuer }, folder), folder)).toBe(
      complaint,
    );
  });
});

describe("requests", () => {
  test("have header names in lower case", () => {
    const { request } = resolveObject({ request: { headers: { "X-Api-Key": "K" } } });
    expect(request.headers).toEqual({ "x-api-key": "K" });
  });

  test.each<[baseUrl: string, callback: string | undefined]>([
    ["http://127.0.0.1:8080", "http://127.0.0.1:0"],
    ["http://[::1]:8080", "http://127.0.0.1:0"],
    ["http://localhost", "http://127.0.0.1:0"],
    ["https://sync.example.com", undefined],
  ])("to %s use the callback %s by default", (baseUrl, callback) => {
    expect(resolveTarget({ baseUrl }).request.callback).toBe(callback);
  });

  test("keep a stated callback", () => {
    const target = resolveObject({
      baseUrl: "https://sync.example.com",
      request: { callback: "http://me.example.com:9000" },
    });
    expect(target.request.callback).toBe("http://me.example.com:9000");
  });
});

/** The digest of a profile with an authorization server. */
function digest(more: object, client: object = {}): string | undefined {
  const app = { flow: "client_credentials", id: "app", secret: "${env:ONE}", ...client };
  const server = { issuer: "https://auth.example.com", clients: { app }, ...more };
  return noteTarget(resolveObject({ authorizationServer: server })).profile;
}

describe("paths are relative to the profile's folder", () => {
  test("certificates are read, and a document is only located", () => {
    const [pem = ""] = rootCertificates;
    const folder = folderWith({
      "ca.pem": pem,
      "openapi.yaml": "openapi: 3.1.0",
      "p.yaml": "baseUrl: http://localhost\nopenapi: openapi.yaml\nrequest: { ca: ./ca.pem }",
    });
    const target = resolveTarget({ profile: loadProfile(join(folder, "p.yaml")) });
    expect(target.request.ca).toBe(pem);
    expect(target.openapi).toBe(join(folder, "openapi.yaml"));
  });

  test("the URL of a document stays unchanged", () => {
    const openapi = "https://sync.example.com/openapi.json?v=1";
    expect(resolveObject({ openapi }).openapi).toBe(openapi);
  });

  test("the name of the deployment is kept for reports", () => {
    const deployment = { name: "acme-staging", version: "4.2.0" };
    expect(noteTarget(resolveObject({ deployment })).deployment).toEqual(deployment);
    expect(noteTarget(resolveObject({}))).not.toHaveProperty("deployment");
  });

  test("reports tell inputs of the suite apart, but for addresses and secrets", () => {
    vi.stubEnv("ONE", "a-client-secret");
    vi.stubEnv("OTHER", "another-client-secret");
    const usual = digest({});
    expect(digest({}, { scopes: ["org:read"] })).not.toBe(usual);
    expect(digest({ narrowing: false })).not.toBe(usual);
    expect(digest({ issuer: "https://auth.example.org" })).toBe(usual);
    expect(digest({}, { secret: "${env:OTHER}" })).toBe(usual);
  });

  test("every key of the full example is used", () => {
    vi.stubEnv("API_KEY", "an-api-key");
    vi.stubEnv("CLIENT_SECRET", "a-client-secret");
    onTestFinished(() => {
      vi.unstubAllEnvs();
    });
    const { folder, ...loaded } = loadProfile(fixturePath("profiles", "full.yaml"));
    const { ca: _ca, cert: _cert, key: _key, ...request } = loaded.profile.request;
    const target = resolveTarget({
      profile: { ...loaded, folder, profile: { ...loaded.profile, request } },
    });
    expect(target).toMatchObject({
      bindingClaim: "https://example.com/org_id",
      testIssuer: { key: { alg: "RS256" }, algorithms: ["RS256", "ES256"], bundled: true },
      writes: true,
      openapi: fixturePath("openapi.yaml"),
      secrets: expect.arrayContaining(["an-api-key", "a-client-secret"]) as string[],
    });
  });

  test.each(
    Object.entries<string>({
      "openapi: no.yaml": "p.yaml:2:10: openapi: no.yaml does not exist",
      "openapi: ftp://a/b": "p.yaml:2:10: openapi must begin with http:// or https://",
      "request: { cert: no.pem, key: key.pem }": "p.yaml:2:18: request.cert: no.pem does not exist",
      "request: { cert: client.pem, key: p.yaml }":
        "p.yaml:2:35: request.key: p.yaml does not hold a usable private key in PEM",
      "request: { cert: client.pem, key: other.pem }":
        "p.yaml:2:35: request.key: other.pem is not the private key of `request.cert`",
      "request: { ca: no.pem }": "p.yaml:2:16: request.ca: no.pem does not exist",
      "request: { ca: p.yaml }":
        "p.yaml:2:16: request.ca: p.yaml does not hold a certificate in PEM",
      "testIssuer: { keys: . }": "p.yaml:2:21: testIssuer.keys: jwks.json does not exist",
    }),
  )("%s is refused, with its place", async (text, complaint) => {
    const { privateKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
    const folder = folderWith({
      "p.yaml": `baseUrl: http://localhost\n${text}`,
      "client.pem": CERTIFICATE,
      "other.pem": privateKey.export({ type: "pkcs8", format: "pem" }).toString(),
    });
    const profile = loadProfile(join(folder, "p.yaml"));
    expect(await complaintOf(() => resolveTarget({ profile }), folder)).toBe(complaint);
  });
});

describe("the source of good tokens", () => {
  const base = { baseUrl: "http://localhost:8080" };
  const clients = {
    service: { flow: "client_credentials", id: "svc", secret: "${env:SECRET}" },
  };
  const server = { issuer: "http://localhost:9000", clients };
  const resolved = (more: Record<string, unknown>, untrusted = false) =>
    resolveTarget({
      profile: profileFromObject({ ...base, ...more }, ".", {
        cwd: "/somewhere",
        env: { SECRET: "hush-hush" },
        untrusted,
      }),
    });

  test("is the bundled keys by default", () => {
    expect(resolved({})).toMatchObject({ issued: undefined, testIssuer: { bundled: true } });
  });

  const command = ["./get-token", "x"];
  test.each<[how: string, more: Record<string, unknown>, leavesOut: boolean, command?: object]>([
    ["by the clients", { authorizationServer: server }, false],
    ["by the clients only", { authorizationServer: server, testIssuer: false }, true],
    ["by a command", { tokens: { command } }, false, { argv: command, folder: "/somewhere" }],
  ])("%s", (_how, more, leavesOutTestIssuer, by) => {
    const target = resolved(more);
    expect(target.issued).toEqual({ leavesOutTestIssuer, command: by });
    expect(target.testIssuer).toMatchObject({ bundled: false, keys: [] });
    expect(() =>
      refuseBundledKeys({ ...target, baseUrl: "https://a.example" }, false),
    ).not.toThrow();
  });

  test("is the test issuer's key if there is one", () => {
    const testIssuer = { url: "https://i.example" };
    expect(resolved({ authorizationServer: server, testIssuer }).issued).toBeUndefined();
  });

  test("must not be missing", () => {
    expect(() => resolved({ testIssuer: false })).toThrow(
      "testIssuer leaves no source of good tokens: name `authorizationServer.clients` or `tokens.command`",
    );
  });

  test("is never a command in an untrusted profile", () => {
    expect(() => resolved({ tokens: { command: ["./get-token"] } }, true)).toThrow(
      "tokens.command is a command",
    );
  });

  test("may be a client for denied tokens", () => {
    const denied = { client: "service", organization: "0b6f3a52-5d0e-4a63-9f7e-1c2d3e4f5a61" };
    expect(resolved({ authorizationServer: server, denied }).denied).toMatchObject({
      client: "service",
      subject: "svc",
    });
    expect(() => resolved({ denied })).toThrow(
      "denied.client must be one of `authorizationServer.clients`",
    );
  });
});
