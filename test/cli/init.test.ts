import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import { generateKeys } from "../../src/keys/generate.ts";
import { packageRoot } from "../../src/lib/package-root.ts";
import { otherId } from "../../src/profile/profile.ts";
import { startReference } from "../../src/reference/index.ts";
import { BASE, IDS, kidsIn, profileIn, withBundled, withKeys } from "./init.ts";
import { command, createIo, refusal, textIn } from "./io.ts";
import { receiver } from "./servers.ts";

describe("init, from flags", () => {
  it("writes a profile that loads, keys, and a ticket for the deployment", async () => {
    const { code, out, err, io } = await command(["init", "--base-url", BASE]);
    expect(code).toBe(0);
    const { profile } = profileIn(io);
    const { primary = "" } = profile.organizations;
    const other = otherId(profile) ?? "";
    expect(profile).toMatchObject({
      baseUrl: BASE,
      subject: "svc-conformance",
      writes: false,
      testIssuer: { url: "https://issuer.example.com", keys: "./keys" },
    });
    expect(profile.denied).toMatchObject({ subject: "svc-partner", organization: primary });
    expect(primary).not.toBe(other);
    for (const id of [primary, other]) expect(out).toContain(`${id}  (create it)`);
    expect(out).toContain(`Subject (sub)   svc-partner\n   Allowed         ${other}\n`);
    expect(out).toContain(`Denied          ${primary}\n`);
    for (const kid of kidsIn(io, "keys")) expect(out).toContain(kid);
    for (const given of [BASE, "https://issuer.example.com", "svc-conformance", "keys/jwks.json"]) {
      expect(out).toContain(given);
    }
    expect(out).toContain("org:read org:write org.changes:read org.changes:write");
    expect(out).toContain("keys serve keys --issuer https://issuer.example.com");
    expect(out).toContain("no PATCH and no POST is sent");
    const readme = readFileSync(join(packageRoot, "README.md"), "utf8");
    const [count = "not named"] = /about [\d,]+ requests/.exec(readme) ?? [];
    expect(out.toLowerCase()).toContain(count);
    expect(err).toContain("keys/private.jwks.json");
    expect(textIn(io, "keys/.gitignore")).toBe("private.jwks.json\n");
    expect(err).toMatch(new RegExp(`^Files are written in ${io.cwd}\\.\n`));
    expect(err).toMatch(/\n\n {2}npx --no-install orgsync-conformance doctor\n$/);
    expect(statSync(join(io.cwd, "keys/private.jwks.json")).mode & 0o777).toBe(0o600);
    const { d } = JSON.parse(textIn(io, "keys/private.jwks.json")).keys[0] as { d: string };
    expect(out + err).not.toContain(d);
  });

  it("writes the given values, and quotes what YAML would misread", async () => {
    const io = await withKeys(createIo(), "secret/keys");
    writeFileSync(join(io.cwd, "api.yaml"), "openapi: 3.1.0");
    const [primary = "", other = "", denied = ""] = IDS;
    const given = {
      "base-url": BASE,
      "claims-namespace": "urn:x #1",
      issuer: "- *anchor",
      audience: "yes",
      subject: "${unclosed: [me] 'n' \"you\"",
      primary,
      other,
      denied,
      openapi: "api.yaml",
      profile: "deep/er/staging.yaml",
      keys: "secret/keys",
      ticket: "tickets/1.txt",
    };
    const flags = Object.entries(given).flatMap(([name, value]) => [`--${name}=${value}`]);
    const { code, out } = await command(["init", "--writes", ...flags], io);
    expect(code).toBe(0);
    expect(profileIn(io, "deep/er/staging.yaml").profile).toMatchObject({
      baseUrl: BASE,
      claimsNamespace: "urn:x #1",
      testIssuer: { url: "- *anchor", keys: "../../secret/keys" },
      audience: "yes",
      subject: "${unclosed: [me] 'n' \"you\"",
      organizations: { primary, other },
      denied: { organization: denied },
      openapi: "../../api.yaml",
      writes: true,
    });
    expect(out).not.toContain("create it");
    expect(profileIn(io, "deep/er/staging.yaml").profile.denied?.subject).toBeUndefined();
    expect(out).toContain("Deny it a third organization by local policy");
    expect(out).toContain("urn:x #1/org_id");
    expect(out).toContain("fewer than twenty");
    expect(textIn(io, "tickets/1.txt")).toBe(out);
  });

  it("writes unknown values as comments that become keys when filled in", async () => {
    const { io } = await command(["init", "--base-url", BASE], await withKeys());
    const text = textIn(io, "orgsync.yaml");
    const filled = text
      .replaceAll(/^# (\s*[a-zA-Z]+: )/gm, "$1")
      .replaceAll("https://…", "https://x.example");
    writeFileSync(join(io.cwd, "filled.yaml"), filled);
    const { profile } = profileIn(io, "filled.yaml");
    expect(profile).toMatchObject({
      claimsNamespace: "https://x.example",
      audience: "https://x.example",
      openapi: "./openapi.yaml",
      testIssuer: { algorithms: ["RS256", "ES256"] },
      operations: { editOrganization: { invalidBody: { name: 7 } } },
    });
  });

  it("writes example bodies if writes are allowed and there is no document", async () => {
    const { io } = await command(["init", "--base-url", BASE, "--writes"], await withKeys());
    expect(profileIn(io).profile.operations).toMatchObject({
      submitChange: { body: { mission: "conformance ${unique}" } },
    });
  });

  it("uses existing keys and never overwrites them", async () => {
    const io = createIo();
    const { keys } = await generateKeys(join(io.cwd, "keys"), { algorithms: ["ES384"] });
    const before = textIn(io, "keys/private.jwks.json");
    const { code, out, err } = await command(["init", "--base-url", BASE, "--force"], io);
    expect(code).toBe(0);
    expect(out).toContain(`ES384   ${keys[0]?.kid}`);
    expect(err).toContain("The profile uses the keys in keys.");
    expect(textIn(io, "keys/.gitignore")).toBe("private.jwks.json\n");
    expect(textIn(io, "keys/private.jwks.json")).toBe(before);
  });

  describe("when the key folder contains the bundled keys", () => {
    it("makes new keys beside them for a deployment elsewhere, and does not change them", async () => {
      const io = withBundled();
      const before = textIn(io, "keys/private.jwks.json");
      const { code, out, err } = await command(["init", "--base-url", BASE], io);
      expect(code).toBe(0);
      expect(profileIn(io).profile.testIssuer).toMatchObject({ keys: "./keys-own" });
      expect(out).toContain("keys-own/jwks.json");
      for (const kid of kidsIn(io, "keys")) expect(out).not.toContain(kid);
      for (const kid of kidsIn(io, "keys-own")) expect(out).toContain(kid);
      expect(err).toContain("The keys in keys are the bundled ones");
      expect(err).toContain("Keep keys-own/private.jwks.json secret");
      expect(err).not.toContain("Keep keys/private.jwks.json");
      expect(textIn(io, "keys-own/.gitignore")).toBe("private.jwks.json\n");
      expect(readdirSync(join(io.cwd, "keys"))).not.toContain(".gitignore");
      expect(textIn(io, "keys/private.jwks.json")).toBe(before);
    });

    it("uses the new keys the second time", async () => {
      const io = withBundled();
      await command(["init", "--base-url", BASE], io);
      const kids = kidsIn(io, "keys-own");
      const { code, err } = await command(["init", "--base-url", BASE, "--force"], io);
      expect(code).toBe(0);
      expect(kidsIn(io, "keys-own")).toEqual(kids);
      expect(err).toContain("The profile uses the keys in keys-own.");
    });

    it("recognises them under another name", async () => {
      const io = withBundled("mine");
      for (const name of ["jwks.json", "private.jwks.json"]) {
        const file = join(io.cwd, "mine", name);
        const { keys } = JSON.parse(readFileSync(file, "utf8")) as { keys: { kid: string }[] };
        const [, second] = keys;
        writeFileSync(file, JSON.stringify({ keys: [{ ...second, kid: "mine" }] }));
      }
      const { out } = await command(["init", "--base-url", BASE, "--keys", "mine"], io);
      expect(out).toContain("mine-own/jwks.json");
    });

    it("uses them for a deployment on this machine, and says that they are public", async () => {
      const io = withBundled();
      const { code, err } = await command(["init", "--base-url", "http://127.0.0.1:8080"], io);
      expect(code).toBe(0);
      expect(profileIn(io).profile.testIssuer).toMatchObject({ keys: "./keys" });
      expect(err).toContain("The keys in keys are the bundled ones");
      expect(err).not.toContain("secret");
    });
  });

  it.each(["", "*.log", "*.log\n", "private.jwks.json\n"])(
    "makes git ignore private keys beside %j",
    async (text) => {
      const io = await withKeys();
      writeFileSync(join(io.cwd, "keys/.gitignore"), text);
      await command(["init", "--base-url", BASE], io);
      const lines = textIn(io, "keys/.gitignore").split("\n");
      expect(lines.filter((line) => line === "private.jwks.json")).toHaveLength(1);
      for (const line of text.split("\n")) expect(lines).toContain(line);
    },
  );

  it.each([
    [["--base-url", "sync.example.com"], "--base-url must begin with http:// or https://"],
    [["--base-url", BASE, "--primary", "one"], "--primary must be a UUID such as"],
    [
      ["--base-url", BASE, "--primary", IDS[0] ?? "", "--other", IDS[0] ?? ""],
      "--other must be another organization",
    ],
    [
      ["--base-url", BASE, "--primary", IDS[0] ?? "", "--denied", IDS[0] ?? ""],
      "--denied must be none of organizations",
    ],
    [
      ["--base-url", BASE, "--denied-subject", "svc-conformance"],
      "--denied-subject must be another subject",
    ],
    [["--base-url", BASE, "--claims-namespace", "x/org_id"], "--claims-namespace must not contain"],
    [["--base-url", BASE, "--subject", "a\nb"], "--subject must be one line"],
    [["--base-url", BASE, "--subject", ""], "--subject must not be empty"],
    [["--base-url", BASE, "--openapi", "none.yaml"], "--openapi must be an existing file"],
    [[], "--base-url is needed"],
    [["--yes"], "--base-url is needed"],
  ])("%j exits 2, says why, and writes nothing", async (flags, why) => {
    const { code, out, err, io } = await command(["init", ...flags]);
    expect(code).toBe(2);
    expect(out).toBe("");
    expect(err).toContain(why);
    expect(readdirSync(io.cwd)).toEqual([]);
  });

  it.each([
    ["orgsync.yaml", []],
    ["t.txt", ["--ticket", "t.txt"]],
  ])("does not overwrite %s without --force", async (name, flags) => {
    const io = await withKeys();
    writeFileSync(join(io.cwd, name), "mine");
    const argv = ["init", "--base-url", BASE, ...flags];
    const { code, err } = await command(argv, io);
    expect(code).toBe(2);
    expect(err).toContain(`${name} already exists`);
    expect(textIn(io, name)).toBe("mine");
    expect((await command([...argv, "--force"], io)).code).toBe(0);
    expect(textIn(io, name)).not.toBe("mine");
  });

  it("exits 2 when it cannot write", async () => {
    const io = await withKeys();
    mkdirSync(join(io.cwd, "orgsync.yaml"));
    expect(await refusal(command(["init", "--base-url", BASE, "--force"], io))).toContain(
      "orgsync.yaml cannot be written",
    );
  });
});

describe("init, then doctor and run", () => {
  it("succeeds with a deployment that was set up as the ticket says", async () => {
    const io = createIo();
    await generateKeys(join(io.cwd, "keys"));
    const reference = await startReference({ jwks: join(io.cwd, "keys/jwks.json") });
    const { primary = "", other = "" } = reference.profile["organizations"] as Record<
      string,
      string
    >;
    const url = reference.baseUrl;
    const ids = ["--primary", primary, "--other", other];
    const more = ["--claims-namespace", "https://example.com", "--openapi", `${url}/openapi.json`];
    try {
      const written = await command(["init", "--base-url", url, "--writes", ...ids, ...more], io);
      expect(written.code).toBe(0);
      expect((await command(["doctor"], io)).code).toBe(0);
      const rules = [
        "receiver.{signature,binding}/*@viewOrganization",
        "resources.edit",
        "document.valid",
      ];
      const run = await command(["run", ...rules.map((rule) => `--rule=${rule}`)], io);
      expect(run.code).toBe(0);
    } finally {
      await reference.close();
    }
  });

  it("makes doctor name the key if the deployment was not given it", async () => {
    const { baseUrl } = await receiver();
    const io = createIo();
    await command(["init", "--base-url", baseUrl], io);
    const { code, out } = await command(["doctor"], io);
    expect(code).toBe(3);
    expect(out).toMatch(/PROBLEM +Key, RS256/);
  });
});
