import { spawnSync } from "node:child_process";

import { describe, expect, test } from "vitest";

import type { Failed } from "../../src/authorization-server/protocol/failed.ts";
import {
  clientCredentialsGrant,
  codeGrant,
} from "../../src/authorization-server/protocol/grants.ts";
import { metadataUrls } from "../../src/authorization-server/protocol/metadata.ts";
import { readTokenResponse } from "../../src/authorization-server/protocol/token-request.ts";
import { createIssuedTokens } from "../../src/authorization-server/tokens/issued.ts";
import { decodeToken } from "../../src/probe/difference/difference.ts";
import { secretOf } from "../../src/reference/authorization-server/clients.ts";
import { HANGS_MS } from "../support/hangs.ts";
import { AUDIENCE, BINDING, client, connected, CONSENT_COMMAND } from "./clients.ts";

/** The result of a step that must succeed. */
function worked<T extends object>(result: T | Failed): T {
  expect(result).not.toHaveProperty("failed");
  return result as T;
}

describe("a connection", () => {
  test("gets a token with client credentials", async () => {
    const { connection, issuer } = await connected();
    const service = client("service", "client_credentials");
    const grant = clientCredentialsGrant(connection.server, ["org:read"]);
    const response = worked(await connection.request("a/b", service, grant));
    expect(response).toMatchObject({ scope: "org:read", tokenType: "Bearer" });
    expect(decodeToken(response.accessToken ?? "").claims).toMatchObject({
      iss: issuer,
      aud: AUDIENCE,
      scope: "org:read",
      grant_type: "client_credentials",
    });
  });

  test("gets a token with an authorization code and consent by a command", async () => {
    const { connection, exchanges, consents } = await connected();
    const admin = client("admin", "authorization_code");
    const { request, answer } = worked(await connection.consents.obtain(admin, ["org:read"]));
    expect(answer.parameters.get("state")).toBe(request.state);
    const grant = codeGrant(request, answer.code ?? "");
    const response = worked(await connection.request("a/b", admin, grant));
    expect(decodeToken(response.accessToken ?? "").claims).toMatchObject({
      grant_type: "authorization_code",
      [BINDING]: expect.stringMatching(/^[\da-f-]{36}$/),
    });
    expect(consents).toEqual([["admin", 1, false]]);

    const recorded = JSON.stringify(exchanges);
    const secrets = [answer.code, request.verifier, response.accessToken, admin.secret];
    for (const secret of secrets) expect(recorded).not.toContain(secret);
    expect(recorded).not.toContain(Buffer.from(`admin:${admin.secret}`).toString("base64"));
  });

  test("has consent refused by a command", async () => {
    const { connection } = await connected();
    const refusal = [...CONSENT_COMMAND, "--refuse"];
    const admin = client("admin", "authorization_code", { refusal });
    const refused = await connection.consents.obtain(admin, ["org:read"], { refuse: true });
    expect(worked(refused).answer).toMatchObject({ code: undefined, error: "access_denied" });
  });

  test("listens at redirect URIs that differ in their path only", async () => {
    const { connection } = await connected();
    const first = worked(await connection.consents.listener(client("admin", "authorization_code")));
    const { port } = new URL(first.redirectUri);
    await connection.close();
    const paths = ["/callback", "/spa/callback"];
    for (const path of paths) {
      const redirectUri = `http://127.0.0.1:${port}${path}`;
      const one = client("admin", "authorization_code", { redirectUri });
      expect(worked(await connection.consents.listener(one)).redirectUri).toBe(redirectUri);
    }
  });

  test("reports why there was no consent", async () => {
    const { connection } = await connected();
    const absent = client("admin", "authorization_code", { consent: ["/does/not/exist"] });
    expect(await connection.consents.obtain(absent, ["org:read"])).toEqual({
      failed: "/does/not/exist could not be started: ENOENT",
    });
    const idle = client("admin", "authorization_code", { consent: () => Promise.resolve() });
    expect(await connection.consents.obtain(idle, ["org:read"])).toEqual({
      failed: "the consent ended without a redirect",
    });
    const unregistered = client("nobody", "authorization_code", { consent: CONSENT_COMMAND });
    expect(await connection.consents.obtain(unregistered, ["org:read"])).toEqual({
      failed: `${process.execPath} ended with 1; the server answers this good request by the status 400 before any login`,
    });
  });
});

test("fixtures/consent.mjs says why it failed, without the query", async () => {
  const { issuer } = await connected();
  // The server answers in this process.
  const { consent } = (await import(CONSENT_COMMAND[1] ?? "")) as {
    consent: (url: string) => Promise<string | undefined>;
  };
  expect(await consent(`${issuer}/auth?client_id=nobody`)).toBe(`${issuer}/auth answered 400`);
  expect(await consent(`${issuer}/jwks`)).toBe(
    `the page at ${issuer}/jwks has no form and no redirect`,
  );
  const [node = "", ...script] = CONSENT_COMMAND;
  const { stderr } = spawnSync(node, [...script, "http://127.0.0.1:9/auth?state=s"], {
    encoding: "utf8",
    timeout: HANGS_MS,
  });
  expect(stderr).toBe("consent.mjs: no answer from http://127.0.0.1:9/auth: ECONNREFUSED\n");
});

describe("a client that never gets a token", () => {
  test("is given up after three tries", async () => {
    const { connection } = await connected();
    const tokens = createIssuedTokens(connection);
    const wrong = client("service", "client_credentials", { secret: "not-the-secret" });
    for (let times = 0; times < 6; times++) await tokens.get(wrong);
    expect(connection.responses).toHaveLength(3);
    // Its secret may be right in another entry of the profile, and other scopes are another request.
    const right = client("service", "client_credentials");
    expect(await tokens.fresh("a/b", right)).not.toHaveProperty("failed");
  });

  test("is told why in the server's own words", async () => {
    const { connection } = await connected();
    const tokens = createIssuedTokens(connection);
    const service = client("reader", "client_credentials", { scopes: ["org:write"] });
    expect(await tokens.get({ ...service, secret: secretOf("reader") })).toMatchObject({
      failed:
        "the token endpoint gave no token: the status 400, invalid_scope (requested scope is not allowed)",
    });
    const admin = client("admin", "authorization_code", { scopes: ["org:write"] });
    expect(await tokens.get(admin)).toMatchObject({
      failed: "the redirect had the error invalid_scope (requested scope is not allowed)",
    });
  });
});

test("metadata is looked for at the URLs of RFC 8414, OpenID Connect and others", () => {
  expect(metadataUrls("https://id.example.com/realms/x/")).toEqual([
    "https://id.example.com/.well-known/oauth-authorization-server/realms/x",
    "https://id.example.com/realms/x/.well-known/openid-configuration",
    "https://id.example.com/realms/x/.well-known/oauth-authorization-server",
  ]);
  expect(metadataUrls("https://id.example.com/")).toEqual([
    "https://id.example.com/.well-known/oauth-authorization-server",
    "https://id.example.com/.well-known/openid-configuration",
  ]);
});

test("members of a token response that have the wrong type count as absent", () => {
  const json = { access_token: 7, scope: ["a"], expires_in: "60", token_type: "" };
  const reply = { exchange: { id: "a/b~1" } };
  const answer = { json, reply } as Parameters<typeof readTokenResponse>[0];
  const request = {} as Parameters<typeof readTokenResponse>[1];
  expect(readTokenResponse(answer, request)).toEqual({ request, answer, exchange: "a/b~1" });
});
