import { readdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { loadProfile } from "../../src/profile/load.ts";
import { BASE, IDS, ioWith, person, profileIn, withKeys } from "./init.ts";
import { command, type TestIo, textIn } from "./io.ts";

describe("init, interactively", () => {
  it("asks for each value that no flag gives, and repeats the question after a bad answer", async () => {
    const [primary = "", other = ""] = IDS;
    const answers = ["nowhere", ` ${BASE} `, "https://ns.example", "", "", primary, primary, other];
    const asker = person(...answers, "", "none.yaml", "", false, true);
    const { code, out, io } = await command(
      ["init", "--subject", "me"],
      await withKeys(ioWith(asker)),
    );
    expect(code).toBe(0);
    expect(asker.complaints).toEqual([
      "must begin with http:// or https://",
      "must be another organization than `organizations.primary`",
      "must be an existing file or a URL",
    ]);
    expect(asker.asked).toHaveLength(10);
    expect(asker.asked.join("\n")).not.toMatch(/subject \(sub\)|audience/i);
    const { profile } = profileIn(io);
    expect(profile).toMatchObject({
      baseUrl: BASE,
      claimsNamespace: "https://ns.example",
      subject: "me",
      organizations: { primary, other },
      writes: true,
    });
    expect(profile.openapi).toBeUndefined();
    expect(profile.denied).toMatchObject({ subject: "svc-partner", organization: primary });
    expect(out).not.toContain(`${primary}  (create it)`);
  });

  it.each([0, 1, 9, 10])(
    "cancelled after %i answers, exits 130 and writes nothing",
    async (count) => {
      const answers = [BASE, "", "", "", "", "", "", "", "", false].slice(0, count);
      const { code, out, err, io } = await command(["init"], ioWith(person(...answers, undefined)));
      expect([code, out]).toEqual([130, ""]);
      expect(err).toContain("nothing was written");
      expect(readdirSync(io.cwd)).toEqual([]);
    },
  );

  it("asks nothing with --yes, and nothing if the profile already exists", async () => {
    const asker = person();
    const argv = ["init", "--yes", "--base-url", BASE];
    expect((await command(argv, await withKeys(ioWith(asker)))).code).toBe(0);
    const io = ioWith(asker);
    writeFileSync(join(io.cwd, "orgsync.yaml"), "");
    expect((await command(["init"], io)).code).toBe(2);
    expect(asker.asked).toEqual([]);
  });
});

/** A document with a title and one route, by its path. */
const documentOf = (title: string, path: string): string =>
  JSON.stringify({
    openapi: "3.0.0",
    info: { title, version: "1" },
    paths: { [path]: { get: { responses: { 200: { description: "Good" } } } } },
  });

describe("init, about packs", () => {
  it.each([
    ["its title", "CommonGrants Base API", "/orgs", ["commongrants"]],
    ["its routes", "Sync", "/common-grants/orgs/{orgId}", ["commongrants"]],
    ["another title", "Orgs of Acme", "/orgs", []],
    ["no route of organizations", "CommonGrants Base API", "/awards", []],
  ])("suggests commongrants by what the document has: %s", async (_, title, path, packs) => {
    const io = await withKeys();
    writeFileSync(join(io.cwd, "api.json"), documentOf(title, path));
    const { code } = await command(["init", "--base-url", BASE, "--openapi", "api.json"], io);
    expect(code).toBe(0);
    expect(profileIn(io).profile.packs).toEqual(packs);
  });

  it("asks a person, with the suggestion as what Enter takes", async () => {
    const asker = person(false, true);
    const io = await withKeys(ioWith(asker));
    writeFileSync(join(io.cwd, "api.json"), documentOf("CommonGrants Base API", "/orgs"));
    const [primary = "", other = ""] = IDS;
    const given = {
      "base-url": BASE,
      "claims-namespace": "https://commongrants.org",
      "authorization-server": "https://auth.example",
      "service-client": "svc",
      "code-client": "web",
      issuer: "https://issuer.example",
      subject: "me",
      primary,
      other,
      "denied-subject": "partner",
      openapi: "api.json",
    };
    const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}=${value}`]);
    const { code } = await command(["init", "--writes", "--no-test-issuer", ...flags], io);
    expect(code).toBe(0);
    expect(asker.asked).toEqual([
      expect.stringMatching(/^The document describes the CommonGrants protocol\. Judge syncing/),
    ]);
    expect(asker.fallbacks).toEqual([true]);
    expect(textIn(io, "orgsync.yaml")).not.toMatch(/^packs:/m);
  });

  it("takes them from flags, writes the operations as published, and refuses what is no pack", async () => {
    const io = await withKeys();
    const argv = ["init", "--base-url", BASE];
    expect((await command([...argv, "--pack", "commongrants"], io)).code).toBe(0);
    const { profile } = profileIn(io);
    expect(profile.packs).toEqual(["commongrants"]);
    expect(profile.operations).toMatchObject({
      viewOrganization: { organization: "/data" },
      editOrganization: { contentType: "application/merge-patch+json" },
    });
    writeFileSync(join(io.cwd, "api.json"), documentOf("CommonGrants Base API", "/orgs"));
    const without = [...argv, "--force", "--openapi", "api.json", "--no-pack"];
    expect((await command(without, io)).code).toBe(0);
    expect(profileIn(io).profile.packs).toEqual([]);
    const unknown = await command([...argv, "--force", "--pack", "commongrant"], io);
    expect(unknown.code).toBe(2);
    expect(unknown.err).toContain("Did you mean commongrants?");
  });

  it("suggests nothing for a document that cannot be read", async () => {
    const io = await withKeys();
    writeFileSync(join(io.cwd, "api.yaml"), "openapi: [");
    expect((await command(["init", "--base-url", BASE, "--openapi", "api.yaml"], io)).code).toBe(0);
    expect(profileIn(io).profile.packs).toEqual([]);
  });
});

describe("init, with an authorization server", () => {
  const env = { SERVICE_SECRET: "hush-hush", ADMIN_SECRET: "hush-too" };
  const loaded = (io: TestIo) => loadProfile(join(io.cwd, "orgsync.yaml"), { env }).profile;

  it("writes the server and its clients into the profile, and what to register into the ticket", async () => {
    const flags = ["--authorization-server", "https://auth.example/", "--service-client", "svc: 1"];
    const argv = ["init", "--base-url", BASE, ...flags, "--code-client", "web"];
    const { code, out, err, io } = await command(argv, await withKeys());
    expect(code).toBe(0);
    const profile = loaded(io);
    expect(profile.testIssuer).toMatchObject({ keys: "./keys" });
    expect(profile.authorizationServer).toMatchObject({
      issuer: "https://auth.example/",
      probes: false,
      clients: {
        service: { flow: "client_credentials", id: "svc: 1", secret: "hush-hush" },
        admin: {
          flow: "authorization_code",
          id: "web",
          redirectUri: "http://127.0.0.1:8400/callback",
          consent: "browser",
        },
      },
    });
    expect(out).toContain("2. Register clients for the suite alone at https://auth.example/");
    expect(out).toContain("Redirect URI    http://127.0.0.1:8400/callback");
    expect(err).toContain("SERVICE_SECRET, ADMIN_SECRET");
  });

  it("makes no keys if the deployment trusts only its own issuer", async () => {
    const server = ["--authorization-server", "https://auth.example", "--service-client", "svc"];
    const argv = ["init", "--base-url", BASE, "--no-test-issuer"];
    const { code, out, io } = await command([...argv, ...server]);
    expect(code).toBe(0);
    expect(loaded(io).testIssuer).toBe(false);
    expect(readdirSync(io.cwd)).toEqual(["orgsync.yaml"]);
    expect(out).toContain("1. Register clients");
    expect(out).not.toMatch(/test issuer|jwks\.json|Remove the test issuer/);
    const none = await command(argv);
    expect(none.code).toBe(2);
    expect(none.err).toContain("--service-client or --code-client");
  });

  it("asks for the server and its clients, and whether a test issuer is allowed", async () => {
    const said = [
      BASE,
      "",
      "https://auth.example",
      "",
      "web",
      false,
      "",
      "",
      "",
      "",
      "",
      false,
      false,
    ];
    const asker = person(...said);
    const { code, io } = await command(["init"], ioWith(asker));
    expect(code).toBe(0);
    expect(asker.asked).toHaveLength(said.length);
    expect(asker.asked.join("\n")).not.toContain("Issuer (iss)");
    const { testIssuer, authorizationServer } = loaded(io);
    expect(testIssuer).toBe(false);
    expect(Object.keys(authorizationServer?.clients ?? {})).toEqual(["admin"]);
  });
});
