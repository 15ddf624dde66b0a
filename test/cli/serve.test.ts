import { existsSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { parse } from "yaml";

import {
  COMMONGRANTS_FAULTS,
  COMMONGRANTS_VARIANTS,
  FAULTS,
  VARIANTS,
} from "../../src/reference/index.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { command, createIo, textIn } from "./io.ts";

interface Printed {
  baseUrl: string;
  testIssuer: { keys?: string };
}

describe("serve", () => {
  it("prints a profile that `run` accepts, and nothing else on stdout", async () => {
    const io = createIo();
    const served = command(["serve", "--fault", "audience-unchecked", "--organizations", "3"], io);
    await io.said("listens on");
    expect(io.err).toContain("with audience-unchecked");
    const run = ["run", "-p", "p.yaml", "--rule", "receiver.audience"];
    const { code, out } = await command(run, createIo({}, "", { "p.yaml": io.out }));
    expect(code).toBe(1);
    expect(out).toContain("FAIL receiver.audience ");
    io.stop();
    expect((await served).code).toBe(0);
    await expect(fetch((parse(io.out) as Printed).baseUrl)).rejects.toThrow("fetch failed");
  });

  it("starts the authorization server for a fault or a variant of it", async () => {
    const io = createIo();
    const served = command(["serve", "--variant", "server-services-alone"], io);
    await io.said("listens on");
    expect(io.err).toContain(", beside an authorization server;");
    const run = ["run", "-p", "p.yaml", "--rule", "authorization-server.client-credentials"];
    const { code } = await command(run, createIo({}, "", { "p.yaml": io.out }));
    expect(code).toBe(0);
    io.stop();
    expect((await served).code).toBe(0);
  });

  it("names the folder of other keys in the profile if it contains the private keys", async () => {
    const io = createIo();
    await command(["keys", "generate", "mine", "--algorithm", "ES256"], io);
    const served = createIo();
    const ended = command(["serve", "--jwks", join(io.cwd, "mine/jwks.json")], served);
    await served.said("listens on");
    served.stop();
    await ended;
    expect((parse(served.out) as Printed).testIssuer.keys).toBe(join(io.cwd, "mine"));
  });

  it("lists those whose name or title has a word, and suggests names where none has it", async () => {
    const { code, out } = await command(["serve", "--list", "WILDCARD"]);
    expect(code).toBe(0);
    expect(out).toContain("  audience-wildcard ");
    const entries = out.split("\n").filter((line) => /^ {4}\S/.test(line));
    expect(entries.length).toBeGreaterThan(0);
    expect(entries.length).toBeLessThan(20);
    const none = await command(["serve", "--list", "audience-wildcart"]);
    expect(none).toMatchObject({ code: 2, out: "" });
    expect(none.err).toContain("Did you mean audience-wildcard");
  });

  it("lists faults and variants, each with a description", async () => {
    const { code, out } = await command(["serve", "--list"]);
    expect(code).toBe(0);
    const packs = [...COMMONGRANTS_FAULTS, ...COMMONGRANTS_VARIANTS];
    for (const { name } of [...FAULTS, ...VARIANTS, ...packs]) expect(out).toContain(` ${name} `);
    const [core = "", pack = ""] = out.split("Faults of CommonGrants, by the rule");
    expect(core).not.toContain(" cg-");
    expect(pack).toContain("\n  commongrants.merge-patch\n");
  });
});

describe("keys", () => {
  it("makes a folder once, and publishes its public keys until it is stopped", async () => {
    const io = createIo();
    const made = await command(["keys", "generate", "mine", "--algorithm", "ES256"], io);
    expect(made.code).toBe(0);
    expect(made.out).toContain("for those who check what you attest");
    expect(made.out).toMatch(
      /If they are the keys of a test issuer, .*\n {2}testIssuer: \{ keys: "mine" \}/,
    );
    expect(existsSync(join(io.cwd, "mine/private.jwks.json"))).toBe(true);
    expect((await command(["keys", "generate", "mine"], io)).code).toBe(2);

    const server = Object.assign(createIo(), { cwd: io.cwd });
    const served = command(["keys", "serve", "mine", "--issuer", "https://issuer.example"], server);
    await server.said("Issuer metadata");
    const url = server.out.trim();
    expect(await (await fetch(url)).json()).toEqual(JSON.parse(textIn(io, "mine/jwks.json")));
    server.stop();
    expect((await served).code).toBe(0);
    await expect(fetch(url)).rejects.toThrow("fetch failed");
  });

  it("publishes keys that `serve --jwks` can fetch", async () => {
    const io = createIo();
    const folder = join(BUNDLED_JWKS, "..");
    const keys = command(["keys", "serve", folder], io);
    await io.said("Issuer metadata");
    const receiver = createIo();
    const served = command(["serve", "--jwks", io.out.trim()], receiver);
    await receiver.said("listens on");
    expect(receiver.out).toContain("# testIssuer.keys is missing");
    const runner = createIo({}, "", { "orgsync.yaml": receiver.out });
    expect((await command(["run", "--rule", "receiver.signature"], runner)).code).toBe(0);
    receiver.stop();
    io.stop();
    await Promise.all([keys, served]);
  });
});
