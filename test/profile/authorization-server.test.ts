import { beforeEach, describe, expect, test, vi } from "vitest";

import { packageRoot } from "../../src/lib/package-root.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import type { Target } from "../../src/profile/target.ts";

const PRIMARY = "11111111-1111-4111-8111-111111111111";
const SECRET = "${env:CONFORMANCE_TEST_SECRET}";
const SERVICE = { flow: "client_credentials", id: "svc", secret: SECRET };
const ADMIN = { flow: "authorization_code", id: "web", redirectUri: "http://127.0.0.1:0/callback" };

beforeEach(() => {
  vi.stubEnv("CONFORMANCE_TEST_SECRET", "s3cret-of-the-client");
  return () => vi.unstubAllEnvs();
});

function targetWith(authorizationServer: Record<string, unknown>): Target {
  return resolveTarget({
    profile: profileFromObject({
      baseUrl: "http://127.0.0.1:9",
      organizations: { primary: PRIMARY },
      authorizationServer: { issuer: "https://auth.example.com/", ...authorizationServer },
    }),
  });
}

test("fills in the defaults", () => {
  const { authorizationServer, secrets } = targetWith({
    scopes: { "org:read": "read" },
    clients: {
      service: { ...SERVICE, organization: "primary", parameters: { resource: "https://a" } },
      admin: { ...ADMIN, tokenParameters: { audience: "https://b" } },
    },
  });
  expect(authorizationServer).toMatchObject({
    issuer: "https://auth.example.com/",
    narrowing: true,
    probes: false,
    scopes: { "org:read": "read", "org:write": "org:write" },
  });
  const [service, admin] = authorizationServer?.clients ?? [];
  expect(service).toMatchObject({
    name: "service",
    authentication: "client_secret_basic",
    organization: PRIMARY,
    authorizationParameters: { resource: "https://a" },
    tokenParameters: { resource: "https://a" },
  });
  expect(service?.scopes).toHaveLength(4);
  expect(admin).toMatchObject({
    authentication: "none",
    tokenParameters: { audience: "https://b" },
  });
  expect(secrets).toContain("s3cret-of-the-client");
});

test("a secret may be in a file", () => {
  const secretFile = `${packageRoot}/keys/client-secret`;
  const client = { flow: "client_credentials", id: "svc", secretFile };
  const { authorizationServer, secrets } = targetWith({ clients: { service: client } });
  const secret = authorizationServer?.clients[0]?.secret;
  expect(secret).toMatch(/^\S{20,}$/);
  expect(secrets).toContain(secret);
});

describe("an invalid value is an error with its place", () => {
  test.each(
    Object.entries<[clients: Record<string, unknown>, complaint: string]>({
      "a secret in the profile itself": [
        { service: { ...SERVICE, secret: "literal" } },
        "clients.service.secret must be ${env:NAME}, read from the environment; or name a file in secretFile",
      ],
      "a service without credentials": [
        { service: { flow: "client_credentials", id: "svc" } },
        "clients.service.flow needs a client that can authenticate: secret, secretFile or key",
      ],
      "an assertion without a key": [
        { service: { ...SERVICE, authentication: "private_key_jwt" } },
        "clients.service.authentication needs the client's private JWK: key",
      ],
      "consent without a redirect URI": [
        { admin: { flow: "authorization_code", id: "web" } },
        "clients.admin.flow needs the redirectUri at which the suite is to listen",
      ],
      "a redirect URI where the suite cannot listen": [
        { admin: { ...ADMIN, redirectUri: "https://app.example.com/callback" } },
        "clients.admin.redirectUri must be an http URL on loopback",
      ],
      "a parameter that the suite sets": [
        { service: { ...SERVICE, parameters: { scope: "a" } } },
        "clients.service.parameters.scope is set by the suite itself",
      ],
      "an organization that the profile does not name": [
        { service: { ...SERVICE, organization: "other" } },
        "clients.service.organization is other, but the profile has no organizations.other",
      ],
    }),
  )("%s", (_, [clients, complaint]) => {
    expect(() => targetWith({ clients })).toThrow(complaint);
  });
});
