import { mkdirSync, readdirSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, onTestFinished, test } from "vitest";
import { stringify } from "yaml";

import { createOrigins } from "../../src/authorization-server/protocol/origins.ts";
import { isPublicAddress } from "../../src/http/connection/addresses.ts";
import { folderWith } from "../support/folder.ts";
import { type TestIo, command, createIo, refusal } from "./io.ts";
import { listen, receiver } from "./servers.ts";

const SECRET = "secret of the operator";

/** Runs a command on a vendor's profile, which is in its own folder. */
async function withProfile(
  profile: Readonly<Record<string, unknown>>,
  args: readonly string[],
  { io = createIo(), verb = "run", prepare = (_folder: string): void => {} } = {},
): Promise<{ code: number; err: string; out: string; io: TestIo }> {
  const folder = join(io.cwd, "vendor");
  mkdirSync(folder, { recursive: true });
  prepare(folder);
  writeFileSync(join(folder, "p.yaml"), stringify(profile));
  return command([verb, ...args, "--profile", "vendor/p.yaml", "--untrusted"], io);
}

describe.each(["run", "doctor"])("%s --untrusted", (verb) => {
  test("passes only the named variables to a vendor's host", async () => {
    const seen: unknown[] = [];
    const { baseUrl } = await listen((request, response) => {
      seen.push(request.headers["x-key"]);
      response.writeHead(401).end("{}");
    });
    const profile = { baseUrl, request: { headers: { "X-Key": "${env:CLOUD_SECRET}" } } };
    const env = { CLOUD_SECRET: "for-nobody-else-1" };
    const refused = await withProfile(profile, [baseUrl], { io: createIo(env), verb });
    expect(refused.code).toBe(2);
    expect(refused.err).toContain("CLOUD_SECRET, which is not named with --env");
    expect(seen).toEqual([]);
    const named = [baseUrl, "--env", "CLOUD_SECRET"];
    await withProfile(profile, named, { io: createIo(env), verb });
    expect(seen).toContain("for-nobody-else-1");
  });

  test.each([
    "http://127.0.0.1:PORT",
    "http://127.1:PORT",
    "http://2130706433:PORT",
    "http://0.0.0.0:PORT",
    "http://[::]:PORT",
    "http://[::1]:PORT",
    "http://[::ffff:127.0.0.1]:PORT",
    "http://[::127.0.0.1]:PORT",
    "http://[64:ff9b::7f00:1]:PORT",
    "http://localhost:PORT",
    "http://localhost.:PORT",
    "http://db.localhost:PORT",
    "http://169.254.169.254",
    "http://10.0.0.1",
    "http://[fe80::1]",
    "http://[fd00::1]",
  ])("sends nothing to %s", async (baseUrl) => {
    const { baseUrl: own, methods } = await listen((_, response) => response.end("{}"));
    const there = baseUrl.replace("PORT", new URL(own).port);
    const { code, err } = await withProfile({ baseUrl: there }, ["--allow-bundled-keys"], { verb });
    expect([code, methods]).toEqual([2, []]);
    expect(err).toContain("not on the public internet");
  });
});

test("a document at another address of this machine is not fetched; one at the named address is", async () => {
  const { baseUrl, methods } = await listen((_, response) => response.writeHead(404).end());
  const { profile, baseUrl: named } = await receiver();
  const openapi = `${baseUrl}/openapi.yaml`;
  const { code, err } = await withProfile({ ...profile, openapi }, [named]);
  expect([code, methods]).toEqual([2, []]);
  expect(err).toContain(`The profile names ${new URL(baseUrl).origin}`);
  const own = await withProfile({ ...profile, openapi: `${named}/none.yaml` }, [named]);
  expect(own.err).toContain("cannot be fetched: 404");
});

test("a target on the command line is certified, wherever it is", async () => {
  const { profile, baseUrl } = await receiver();
  const { code } = await withProfile(profile, [baseUrl, "--rule", "receiver.issuer"]);
  expect(code).toBe(0);
});

describe("a file outside the profile's folder is not read:", () => {
  const outside = folderWith({
    "jwks.json": SECRET,
    "private.jwks.json": SECRET,
    "x.pem": SECRET,
    "x.yaml": SECRET,
  });
  const prepare = (folder: string): void => {
    symlinkSync(outside, join(folder, "linked"));
    mkdirSync(join(folder, "each"));
    for (const name of ["jwks.json", "private.jwks.json"]) {
      symlinkSync(join(outside, name), join(folder, "each", name));
    }
  };
  test.each<[string, Readonly<Record<string, unknown>>]>([
    ["keys", { testIssuer: { keys: outside } }],
    ["keys through a link", { testIssuer: { keys: "linked" } }],
    ["keys whose files are links", { testIssuer: { keys: "each" } }],
    ["authorities", { request: { ca: join(outside, "x.pem") } }],
    ["certificate authorities in the parent folder", { request: { ca: "../x.pem" } }],
    ["certificate authorities through a link", { request: { ca: "linked/x.pem" } }],
    ["a certificate", { request: { cert: "linked/x.pem", key: "linked/x.pem" } }],
    ["a document", { openapi: join(outside, "x.yaml") }],
    ["a document through a link", { openapi: "linked/x.yaml" }],
    ["a file that does not exist", { openapi: "../none.yaml" }],
  ])("%s", async (_what, named) => {
    const baseUrl = "https://vendor.example/api";
    const err = await refusal(withProfile({ baseUrl, ...named }, ["--dry-run"], { prepare }));
    expect(err).toContain("is outside the profile's folder");
    expect(err).not.toContain(SECRET);
  });

  test("parts of a document", async () => {
    const baseUrl = "https://vendor.example/api";
    const document = {
      openapi: "3.1.0",
      info: { title: "x", version: "1" },
      paths: { "/orgs": { $ref: "linked/x.yaml" } },
    };
    const { code, err } = await withProfile({ baseUrl, openapi: "api.yaml" }, ["--dry-run"], {
      prepare(folder) {
        symlinkSync(outside, join(folder, "linked"));
        writeFileSync(join(folder, "api.yaml"), stringify(document));
      },
    });
    expect(code).toBe(2);
    expect(err).not.toContain(SECRET);
  });
});

describe("with an authorization server", () => {
  const baseUrl = "https://vendor.example/api";
  const issuer = "https://auth.vendor.example";
  const withClient = (client: object): Readonly<Record<string, unknown>> => ({
    baseUrl,
    authorizationServer: {
      issuer,
      clients: { service: { flow: "client_credentials", id: "svc", ...client } },
    },
  });

  test.each<[string, object]>([
    ["a secret", { secretFile: "linked/x" }],
    ["a secret in the parent folder", { secretFile: "../x" }],
    ["a key", { key: "linked/x" }],
  ])("%s outside the profile's folder is not read", async (_what, client) => {
    const outside = folderWith({ x: SECRET });
    const prepare = (folder: string): void => symlinkSync(outside, join(folder, "linked"));
    const err = await refusal(withProfile(withClient(client), ["--dry-run"], { prepare }));
    expect(err).toContain("is outside the profile's folder");
    expect(err).not.toContain(SECRET);
  });

  test("a secret in the profile's folder is read", async () => {
    const { code, err } = await withProfile(
      withClient({ secretFile: "x" }),
      ["--dry-run", "--allow-bundled-keys", "--rule", "routes.*"],
      {
        prepare: (folder) => writeFileSync(join(folder, "x"), "of-the-vendor"),
      },
    );
    expect([code, err]).toEqual([0, expect.not.stringContaining("of-the-vendor") as string]);
  });

  test("no consent command is run", async () => {
    const redirectUri = "http://127.0.0.1:0/callback";
    const client = { flow: "authorization_code", redirectUri, consent: ["touch", "proof"] };
    const { code, err, io } = await withProfile(withClient(client), []);
    expect([code, err]).toEqual([2, expect.stringContaining("is a command") as string]);
    expect(readdirSync(io.cwd)).not.toContain("proof");
  });

  test.each(["run", "doctor"])(
    "%s sends nothing to a server on this machine that the profile names",
    async (verb) => {
      const own = await listen((_request, response) => response.end("{}"));
      const { profile, baseUrl: named } = await receiver();
      const service = { flow: "client_credentials", id: "svc", secretFile: "x" };
      for (const server of [
        { issuer: new URL(own.baseUrl).origin },
        { issuer, tokenUrl: `${own.baseUrl}/token` },
        { issuer, metadataUrl: `${own.baseUrl}/metadata` },
      ]) {
        const authorizationServer = { ...server, clients: { service } };
        const { code, err } = await withProfile({ ...profile, authorizationServer }, [named], {
          verb,
          prepare: (folder) => writeFileSync(join(folder, "x"), "of-the-vendor"),
        });
        expect([code, own.methods]).toEqual([2, []]);
        expect(err).toContain("not on the public internet");
      }
    },
  );
});

test("an endpoint of this machine that only the server's metadata names gets no request", async () => {
  const inside = await listen((_request, response) => response.end("{}"));
  const origins = createOrigins(
    { request: { headers: {}, timeoutMs: 60_000 }, untrusted: { named: undefined }, secrets: [] },
    {},
  );
  onTestFinished(() => origins.close());
  const { reply } = await origins.send("x/y", { method: "GET", url: inside.baseUrl });
  expect(inside.methods).toEqual([]);
  expect(reply.exchange.fault).toMatchObject({
    kind: "unreachable",
    message: expect.stringContaining("is not on the public internet") as string,
  });
});

test("files in the profile's folder are read", async () => {
  const baseUrl = "https://vendor.example/api";
  const document = { openapi: "3.1.0", info: { title: "x", version: "1" }, paths: {} };
  const { err } = await withProfile(
    { baseUrl, openapi: "api.yaml" },
    ["--dry-run", "--allow-bundled-keys", "--rule", "routes.*"],
    { prepare: (folder) => writeFileSync(join(folder, "api.yaml"), stringify(document)) },
  );
  expect(err).not.toContain("outside");
});

test.each([
  ["8.8.8.8", true],
  ["2606:4700::1111", true],
  ["::ffff:8.8.8.8", true],
  ["::ffff:10.0.0.1", false],
  ["::ffff:a9fe:a9fe", false],
  ["fe80::1%eth0", false],
  ["100.64.0.1", false],
  ["172.31.255.255", false],
  ["172.32.0.1", true],
  ["255.255.255.255", false],
])("%s is public: %s", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});
