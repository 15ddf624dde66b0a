import { request as httpRequest } from "node:http";

import { afterAll, beforeAll, describe, expect, test } from "vitest";

import { OPERATION_IDS, OPERATIONS, SCOPES } from "../../src/contract/operations.ts";
import { startReference, type RunningReference } from "../../src/reference/index.ts";
import {
  BINDING,
  deniedOrganization,
  FOREIGN_KEY,
  ISSUER,
  JWKS,
  member,
  mint,
  mintUnsigned,
  organization,
  PAIRS,
  send,
  type TokenChanges,
} from "./client.ts";

let receiver: RunningReference;
beforeAll(async () => {
  receiver = await startReference({ jwks: JWKS });
});
afterAll(() => receiver.close());

const now = Math.floor(Date.now() / 1000);
const ORGANIZATION_ROUTES = OPERATION_IDS.filter((id) => OPERATIONS[id].organization);

describe.each(OPERATION_IDS)("%s", (operation) => {
  test("accepts a good token, bound or not", async () => {
    expect((await send(receiver, { operation })).status).toBeLessThan(300);
    const claims = { [BINDING]: organization(receiver, "primary") };
    expect((await send(receiver, { operation, token: { claims } })).status).toBeLessThan(300);
  });

  test("refuses a missing token with a challenge and an Error body", async () => {
    const reply = await send(receiver, { operation, authorization: null });
    expect(reply.status).toBe(401);
    expect(reply.headers.get("www-authenticate")).toBe('Bearer realm="orgs"');
    expect(reply.body).toEqual({ status: 401, message: expect.any(String), errors: [] });
  });

  test.each<[string, TokenChanges]>([
    ["a foreign key", { key: FOREIGN_KEY }],
    ["another issuer", { claims: { iss: `${ISSUER}/` } }],
    ["another audience", { claims: { aud: "https://other.example.com" } }],
    ["an expired token", { claims: { exp: now - 3600, iat: now - 7200 } }],
  ])("refuses %s with 401", async (_, token) => {
    const reply = await send(receiver, { operation, token });
    expect(reply.status).toBe(401);
    expect(reply.headers.get("www-authenticate")).toContain('error="invalid_token"');
    expect(member(reply.body, "status")).toBe(401);
  });

  test("needs exactly its own scope", async () => {
    const { scope } = OPERATIONS[operation];
    const others = SCOPES.filter((other) => other !== scope).join(" ");
    const alone = await send(receiver, { operation, token: { claims: { scope } } });
    expect(alone.status).toBeLessThan(300);
    const without = await send(receiver, { operation, token: { claims: { scope: others } } });
    expect(without.status).toBe(403);
    expect(member(without.body, "status")).toBe(403);
  });
});

describe.each(ORGANIZATION_ROUTES)("%s", (operation) => {
  test.each([
    ["another organization", () => organization(receiver, "other")],
    ["null", () => null],
    ["nothing", () => ""],
    ["a list", () => [organization(receiver, "primary")]],
    ["a number", () => 0],
  ])("refuses a token bound to %s", async (_, value) => {
    const reply = await send(receiver, { operation, token: { claims: { [BINDING]: value() } } });
    expect(reply.status).toBe(403);
  });

  test("applies local policy to bound and unbound tokens, before it shows whether an organization exists", async () => {
    const orgId = deniedOrganization(receiver);
    expect((await send(receiver, { operation, orgId })).status).toBe(403);
    const token = { claims: { [BINDING]: orgId } };
    expect((await send(receiver, { operation, orgId, token })).status).toBe(403);
    const stranger = { claims: { sub: "svc-stranger" } };
    expect((await send(receiver, { operation, token: stranger })).status).toBe(403);
    const unknown = { operation, orgId: "00000000-0000-4000-8000-000000000000" };
    expect((await send(receiver, { ...unknown, token: stranger })).status).toBe(403);
    expect((await send(receiver, { ...unknown, authorization: null })).status).toBe(401);
    expect((await send(receiver, unknown)).status).toBe(404);
  });
});

test("serves a subject of the access list only on the listed organizations", async () => {
  const token = { claims: { sub: "svc-partner" } };
  const orgId = organization(receiver, "other");
  expect((await send(receiver, { orgId, token })).status).toBe(200);
  expect((await send(receiver, { token })).status).toBe(403);
});

test.each(PAIRS)("accepts $alg", async ({ alg }) => {
  expect((await send(receiver, { token: { alg } })).status).toBe(200);
});

test.each<[string, TokenChanges]>([
  ["typ absent", { header: { typ: undefined } }],
  ["typ at+jwt", { header: { typ: "at+jwt" } }],
  ["unknown headers and claims", { header: { foo: 1 }, claims: { jti: "x", nested: {} } }],
  [
    "an array of audiences that contains its own",
    { claims: { aud: ["https://other.example.com"] } },
  ],
  ["an exp one second in the past", { claims: { exp: now - 1 } }],
  ["a fractional exp", { claims: { exp: now + 600.5 } }],
  ["an nbf in the past", { claims: { nbf: now - 60 } }],
])("accepts %s", async (_, token) => {
  const { aud } = token.claims ?? {};
  const claims = Array.isArray(aud) ? { aud: [...aud, receiver.baseUrl] } : token.claims;
  const reply = await send(receiver, { token: { ...token, ...(claims && { claims }) } });
  expect(reply.status).toBe(200);
});

test.each<[string, TokenChanges, number]>([
  ["an embedded key", { key: FOREIGN_KEY, header: { jku: "http://127.0.0.1:9/" } }, 401],
  ["an unknown kid", { header: { kid: "constructor" } }, 401],
  ["another typ", { header: { typ: "logout+jwt" } }, 401],
  ["no iss", { claims: { iss: undefined } }, 401],
  ["a list of issuers", { claims: { iss: [ISSUER] } }, 401],
  ["no aud", { claims: { aud: undefined } }, 401],
  ["an empty list of audiences", { claims: { aud: [] } }, 401],
  ["no exp", { claims: { exp: undefined } }, 401],
  ["exp as a string", { claims: { exp: String(now + 600) } }, 401],
  ["an exp an hour ago", { claims: { exp: now - 3600 } }, 401],
  ["an exp ten seconds ago", { claims: { exp: now - 10 } }, 401],
  ["an nbf in the future", { claims: { nbf: now + 3600 } }, 401],
  ["no iat", { claims: { iat: undefined } }, 401],
  ["no sub", { claims: { sub: undefined } }, 401],
  ["no scope", { claims: { scope: undefined } }, 403],
  ["scope as a list", { claims: { scope: ["org:read"] } }, 403],
  ["a longer scope name", { claims: { scope: "org:readonly xorg:read ORG:READ" } }, 403],
  ["scopes separated by commas", { claims: { scope: "org:read,org:write" } }, 403],
])("refuses %s", async (_, token, status) => {
  expect((await send(receiver, { token })).status).toBe(status);
});

test("an earlier check determines the answer", async () => {
  const token = { claims: { exp: now - 3600, scope: "", [BINDING]: "x" } };
  expect((await send(receiver, { token })).status).toBe(401);
  const rejected = await send(receiver, {
    operation: "editOrganization",
    authorization: null,
    body: "{not json",
  });
  expect(rejected.status).toBe(401);
});

describe("credentials", () => {
  test.each(["bearer", "BEARER", "Bearer "])("accept the scheme %j", async (scheme) => {
    const authorization = `${scheme} ${await mint(receiver)}`;
    expect((await send(receiver, { authorization })).status).toBe(200);
  });

  test.each(["", "Basic ", "Token ", "Basic x Bearer "])(
    "refuse %j and a token",
    async (scheme) => {
      const authorization = `${scheme}${await mint(receiver)}`;
      expect((await send(receiver, { authorization })).status).toBe(401);
    },
  );

  test("refuse a token that is not a JWS", async () => {
    const good = await mint(receiver);
    const [header, payload, signature] = good.split(".") as [string, string, string];
    const broken = [
      await mintUnsigned(receiver),
      `${header}.${payload}`,
      `${header}.${payload}.`,
      `${good}.`,
      `.${good}`,
      `${good}=`,
      `${header}.${payload}.${signature}..`,
      `${header}.${payload}.${signature.slice(0, -4)}`,
      ".".repeat(6000),
      "x",
      "",
    ];
    for (const token of broken) {
      const reply = await send(receiver, { authorization: `Bearer ${token}` });
      expect({ token, status: reply.status }).toEqual({ token, status: 401 });
      expect(JSON.stringify(reply.body)).not.toContain(payload);
    }
  });

  test("refuse two Authorization lines", async () => {
    const value = `Bearer ${await mint(receiver)}`;
    const status = await new Promise<number | undefined>((resolve, reject) => {
      const url = new URL(`${receiver.baseUrl}/orgs`);
      httpRequest(
        url,
        { headers: ["host", url.host, "authorization", value, "authorization", value] },
        (response) => {
          response.resume();
          resolve(response.statusCode);
        },
      )
        .on("error", reject)
        .end();
    });
    expect(status).toBe(401);
  });
});

test("a bound token lists only its own organization", async () => {
  const list = async (bound: unknown) => {
    const reply = await send(receiver, {
      operation: "listOrganizations",
      token: { claims: { [BINDING]: bound } },
    });
    return (member(reply.body, "items") as { id: string }[]).map(({ id }) => id);
  };
  const other = organization(receiver, "other");
  expect(await list(other)).toEqual([other]);
  expect(await list(deniedOrganization(receiver))).toEqual([]);
  expect(await list(null)).toEqual([]);
  expect(await list([other])).toEqual([]);
  expect((await list(undefined)).length).toBe(24);
});
