import { cpSync, readFileSync } from "node:fs";
import { request } from "node:http";
import { join } from "node:path";

import { createRemoteJWKSet, importJWK, type JWK, jwtVerify, SignJWT } from "jose";
import { describe, expect, onTestFinished, test } from "vitest";

import { type KeyServer, serveKeys, type ServeKeysOptions } from "../../src/keys/serve.ts";
import { BUNDLED_KEYS } from "../../src/profile/issuer-keys.ts";
import { complaintOf } from "../profile/support.ts";
import { folderWith } from "../support/folder.ts";

async function serve(options: Partial<ServeKeysOptions> = {}): Promise<KeyServer> {
  const server = await serveKeys({ folder: BUNDLED_KEYS, port: 0, host: "127.0.0.1", ...options });
  onTestFinished(server.close);
  return server;
}

async function getJson(url: string): Promise<Record<string, unknown>> {
  const response = await fetch(url);
  expect(response.status).toBe(200);
  expect(response.headers.get("content-type")).toBe("application/json");
  return (await response.json()) as Record<string, unknown>;
}

const publicKeys: unknown = JSON.parse(readFileSync(join(BUNDLED_KEYS, "jwks.json"), "utf8"));

describe("serveKeys", () => {
  test.each(["/.well-known/jwks.json", "/jwks.json", "/jwks.json?now=1"])(
    "publishes the keys at %s",
    async (path) => {
      const { url } = await serve();
      expect(await getJson(url + path)).toEqual(publicKeys);
    },
  );

  test("lets a receiver verify a token by URL", async () => {
    const { url } = await serve();
    const { keys } = JSON.parse(readFileSync(join(BUNDLED_KEYS, "private.jwks.json"), "utf8")) as {
      keys: JWK[];
    };
    const [, , key = {}] = keys;
    const token = await new SignJWT()
      .setProtectedHeader({ alg: "ES256", kid: key.kid ?? "" })
      .sign(await importJWK(key));
    const metadata = await getJson(`${url}/.well-known/openid-configuration`);
    const jwks = createRemoteJWKSet(new URL(String(metadata["jwks_uri"])));
    await expect(jwtVerify(token, jwks)).resolves.toBeDefined();
  });

  test("never publishes anything private, whatever the file contains", async () => {
    const folder = folderWith();
    cpSync(join(BUNDLED_KEYS, "private.jwks.json"), join(folder, "jwks.json"));
    const { url } = await serve({ folder });
    expect(await getJson(`${url}/jwks.json`)).toEqual(publicKeys);
  });

  test("never publishes a symmetric key", async () => {
    const keys = [{ kty: "oct", kid: "s", k: "c2VjcmV0" }];
    const folder = folderWith({ "jwks.json": JSON.stringify({ keys }) });
    const { url } = await serve({ folder });
    expect(await getJson(`${url}/jwks.json`)).toEqual({ keys: [] });
  });

  test.each(["oauth-authorization-server", "openid-configuration"])(
    "publishes metadata as %s",
    async (name) => {
      const { url } = await serve();
      expect(await getJson(`${url}/.well-known/${name}`)).toMatchObject({
        issuer: url,
        jwks_uri: `${url}/.well-known/jwks.json`,
        id_token_signing_alg_values_supported: ["RS256", "PS256", "ES256", "EdDSA"],
      });
    },
  );

  test.each([
    "/.well-known/oauth-authorization-server",
    "/.well-known/oauth-authorization-server/tenant",
    "/tenant/.well-known/openid-configuration",
  ])("publishes the metadata of an issuer with a path at %s", async (path) => {
    const issuer = "https://issuer.example.com/tenant";
    const { url } = await serve({ issuer });
    expect(await getJson(url + path)).toMatchObject({
      issuer,
      jwks_uri: `${url}/.well-known/jwks.json`,
    });
  });

  test.each([
    ["keys.internal:9000", "http://keys.internal:9000"],
    ['evil"/x?', undefined],
  ])("asked as %s, it publishes that name if it is a host", async (host, origin) => {
    const { url } = await serve();
    const body = await new Promise<string>((resolve, reject) => {
      const sent = request(
        `${url}/.well-known/openid-configuration`,
        { headers: { host } },
        (response) => {
          response.setEncoding("utf8").on("data", resolve);
        },
      );
      sent.on("error", reject).end();
    });
    expect(JSON.parse(body)).toMatchObject({ jwks_uri: `${origin ?? url}/.well-known/jwks.json` });
  });

  test.each(["/", "/private.jwks.json", "/keys/../private.jwks.json", "/token"])(
    "has nothing at %s",
    async (path) => {
      const { url } = await serve();
      const response = await fetch(url + path);
      expect(response.status).toBe(404);
      expect(await response.json()).toHaveProperty("error");
    },
  );

  test("answers only GET and HEAD", async () => {
    const { url } = await serve();
    const [post, head] = await Promise.all([
      fetch(`${url}/jwks.json`, { method: "POST" }),
      fetch(`${url}/jwks.json`, { method: "HEAD" }),
    ]);
    expect([post.status, post.headers.get("allow")]).toEqual([405, "GET, HEAD"]);
    expect([head.status, await head.text()]).toEqual([200, ""]);
  });

  test("puts IPv6 hosts in brackets", async () => {
    const { url } = await serve({ host: "::1" });
    expect(url).toMatch(/^http:\/\/\[::1\]:\d+$/);
    await getJson(`${url}/jwks.json`);
  });

  test("stays closed, and may be closed twice", async () => {
    const server = await serve();
    await getJson(`${server.url}/jwks.json`);
    await server.close();
    await expect(fetch(`${server.url}/jwks.json`)).rejects.toThrow("fetch failed");
  });

  test("says why it cannot start", async () => {
    const { url } = await serve();
    const port = Number(new URL(url).port);
    const start = (options: Partial<ServeKeysOptions>) => async (): Promise<unknown> =>
      serve({ port, ...options });
    expect(await complaintOf(start({}))).toBe(
      `Cannot serve keys on 127.0.0.1, port ${port}: the port is taken`,
    );
    expect(await complaintOf(start({ port: 70_000 }))).toBe(
      "Cannot serve keys on 127.0.0.1, port 70000: a port is a number from 0 to 65535",
    );
    expect(await complaintOf(start({ host: "192.0.2.1", port: 0 }))).toBe(
      "Cannot serve keys on 192.0.2.1, port 0: this machine has no such address",
    );
    expect(await complaintOf(start({ issuer: "issuer" }))).toBe("The issuer issuer is not a URL");
    const folder = folderWith();
    expect(await complaintOf(start({ folder }), folder)).toBe("jwks.json does not exist");
  });
});
