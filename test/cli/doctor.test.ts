import { once } from "node:events";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";

import type { Check } from "../../src/doctor/check.ts";
import type { Examination } from "../../src/doctor/checks.ts";
import { generateKeys } from "../../src/keys/generate.ts";
import type { ReferenceOptions } from "../../src/reference/index.ts";
import type { Report } from "../../src/report/report.ts";
import { CERTIFICATE, KEY } from "../http/certificate.ts";
import { command, createIo } from "./io.ts";
import { listen, receiver } from "./servers.ts";

type Profile = Record<string, unknown>;

const UNKNOWN_ID = "dddddddd-dddd-4ddd-8ddd-dddddddddddd";

/** The output of `doctor --json` for a profile. */
async function doctor(
  profile: Profile,
  files: Record<string, string> = {},
): Promise<{ code: number; found: Examination; problems: Check[]; of: (id: string) => Check }> {
  const io = createIo();
  for (const [name, text] of Object.entries(files)) writeFileSync(join(io.cwd, name), text);
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  const { code, out } = await command(["doctor", "--json"], io);
  const found = JSON.parse(out) as Examination;
  const of = (id: string): Check => {
    const check = found.checks.find((one) => one.id === id);
    if (!check) throw new Error(`no check ${id}`);
    return check;
  };
  return { code, found, of, problems: found.checks.filter(({ state }) => state === "problem") };
}

/** The same, for a reference receiver whose profile is changed. */
async function doctorOf(
  change: (profile: Profile) => Profile,
  options: Omit<ReferenceOptions, "jwks"> = {},
): ReturnType<typeof doctor> {
  const { profile } = await receiver(options);
  return doctor(change(structuredClone(profile)));
}

const unchanged = (profile: Profile): Profile => profile;

describe("doctor, when all is well", () => {
  it("exits 0, checks everything except the writes, and sends about a dozen reads", async () => {
    const { profile } = await receiver();
    const { code, found, problems } = await doctor(profile);
    expect([code, found.state, problems]).toEqual([0, "ready", []]);
    expect(found.requests).toBeLessThan(20);
    const unknown = found.checks.filter(({ state }) => state === "unknown");
    expect(unknown.map(({ id }) => id)).toEqual([
      "operation.editOrganization",
      "operation.submitChange",
    ]);
  });

  it("publishes the keys if the profile says so, and reports whether they were fetched", async () => {
    const { code, of } = await doctorOf(unchanged, { variants: ["keys-fetched"] });
    expect(code).toBe(0);
    expect(of("token.keys-served")).toMatchObject({
      state: "ok",
      detail: expect.stringMatching(/^at http:.* and fetched (once|\d+ times)$/) as string,
    });
    const elsewhere = await doctorOf((profile) => ({
      ...profile,
      testIssuer: { ...(profile["testIssuer"] as object), serve: "http://127.0.0.1:0" },
    }));
    expect(elsewhere.of("token.keys-served")).toMatchObject({ state: "unknown" });
  });

  it("prints each check on its own line, with its subject", async () => {
    const { profile } = await receiver();
    const io = createIo();
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    const { code, out, err } = await command(["doctor"], io);
    expect(code).toBe(0);
    expect(err).toBe("The profile is orgsync.yaml.\n");
    expect(out).toMatch(/^ {2}ok +Key, ES256 +conformance-es256$/m);
    expect(out).toMatch(/^ {2}ok +Issuer +https:\/\/issuer\.example\.com$/m);
    expect(out).toMatch(/^ {2}ok +typ +JWT, at\+jwt, none accepted$/m);
    expect(out).toMatch(/^ {2}ok +Denied pair +svc-partner on 3.*: 403 on$/m);
    expect(out).toMatch(/^ {2}not known +submitChange +POST .*: not tried, a POST might write$/m);
    expect(out).toMatch(/\d+ requests, no PATCH and no POST\n\nReady\. /);
    expect(Math.max(...out.split("\n").map(({ length }) => length))).toBeLessThanOrEqual(100);
    expect(out).not.toContain("eyJ");
  });

  it("never sends a write, even if the profile consents", async () => {
    const { baseUrl, methods } = await listen((_request, response) => {
      response.writeHead(200, { "content-type": "application/json" });
      response.end(JSON.stringify({ items: [{ id: UNKNOWN_ID }], data: { id: UNKNOWN_ID } }));
    });
    const body = { body: { mission: "${unique}" } };
    const { of } = await doctor({
      baseUrl,
      organizations: { primary: UNKNOWN_ID },
      writes: true,
      operations: { editOrganization: body, submitChange: body },
    });
    expect(new Set(methods)).toEqual(new Set(["GET"]));
    expect(of("operation.editOrganization").state).toBe("unknown");
  });

  it.each([["clock-ahead"], ["clock-behind"], ["date-belied"]])(
    "reports a clock that is off: %s",
    async (variant) => {
      const { code, problems } = await doctorOf(unchanged, { variants: [variant] });
      expect(code).toBe(3);
      expect(problems.map(({ id, side }) => [id, side])).toEqual([
        ["connection.clock", "deployment"],
      ]);
      expect(problems[0]?.detail).toMatch(/3600 s (ahead of|behind) this machine's/);
    },
  );
});

const withIssuer = (issuer: Profile) => (profile: Profile) => ({
  ...profile,
  testIssuer: { ...(profile["testIssuer"] as Profile), ...issuer },
});
const withOrganizations = (organizations: Profile) => (profile: Profile) => ({
  ...profile,
  organizations: { ...(profile["organizations"] as Profile), ...organizations },
});

describe("doctor, when good tokens are refused", () => {
  it.each<[string, (profile: Profile) => Profile, string, Check["side"], RegExp, string[]]>([
    [
      "the issuer is wrong",
      withIssuer({ url: "https://wrong.example" }),
      "token.issuer",
      "deployment",
      /does not trust https:\/\/wrong\.example\. It says: The access token's issuer/,
      ["token.key.RS256"],
    ],
    [
      "the audience is wrong",
      (profile) => ({ ...profile, audience: "https://wrong.example" }),
      "token.audience",
      "profile",
      /https:\/\/wrong\.example is not the deployment's own base URL/,
      ["token.key.RS256", "token.issuer"],
    ],
    [
      "there is nothing at that path",
      (profile) => ({ ...profile, baseUrl: `${String(profile["baseUrl"])}/v9` }),
      "connection.answers",
      "profile",
      /^There is nothing at .*\/v9: /,
      ["connection.reachable", "connection.redirect"],
    ],
  ])("names the failing check: %s", async (_what, change, id, side, detail, before) => {
    const { code, found, problems, of } = await doctorOf(change);
    expect(code).toBe(3);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatchObject({ id, side, state: "problem" });
    expect(problems[0]?.detail).toMatch(detail);
    expect(problems[0]?.remedy).toBeTruthy();
    for (const passed of before) expect(of(passed).state).toBe("ok");
    const after = [
      "token.subject",
      "token.typ",
      "organization.primary",
      "operation.viewOrganization",
    ];
    for (const later of after) {
      expect(of(later).state).toBe("unknown");
      expect(of(later).detail).toMatch(/comes first$/);
    }
    expect(found.requests).toBeLessThan(40);
  });

  it("names the key when the deployment trusts other keys", async () => {
    const io = createIo();
    await generateKeys(join(io.cwd, "keys"), { algorithms: ["RS256"] });
    const { code, problems } = await doctorOf(
      withIssuer({ keys: join(io.cwd, "keys"), algorithms: ["RS256"] }),
    );
    expect(code).toBe(3);
    expect(problems.map(({ id }) => id)).toEqual(["token.key.RS256"]);
    expect(problems[0]?.detail).toContain("does not know the test issuer's key");
  });

  it("reports a redirect and its destination", async () => {
    const { baseUrl } = await listen(({ url }, response) => {
      response.writeHead(308, { location: `https://elsewhere.example${url}` }).end();
    });
    const { code, found, problems } = await doctor({ baseUrl });
    expect(code).toBe(3);
    expect(problems[0]).toMatchObject({ id: "connection.redirect", side: "profile" });
    expect(problems[0]?.detail).toContain("to https://elsewhere.example/base/orgs");
    expect(found.requests).toBeLessThan(10);
  });

  it.each<[string, number, Record<string, string>, string]>([
    ["fails", 500, {}, "connection.answers"],
    ["limits", 429, { "retry-after": "9999" }, "connection.available"],
  ])("reports a deployment that %s everything", async (_what, status, headers, id) => {
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(status, headers).end();
    });
    const { code, problems, of } = await doctor({ baseUrl });
    expect([code, problems[0]?.id, problems[0]?.side]).toEqual([3, id, "deployment"]);
    expect(problems[0]?.detail).toContain(String(status));
    expect(of("token.issuer").state).toBe("unknown");
  });

  it("escapes everything that a deployment sends", async () => {
    const { baseUrl } = await listen((_request, response) => {
      response.writeHead(401, { "content-type": "application/json" });
      response.end(JSON.stringify({ status: 401, message: "\u001b[2J\u202eno", errors: [] }));
    });
    const io = createIo();
    const { out } = await command(["doctor", baseUrl], io);
    expect(out).toContain("It says: \\u{1b}[2J\\u{202e}no");
  });
});

describe("doctor, after a token was accepted", () => {
  it.each<[string, (profile: Profile) => Profile, string, RegExp]>([
    [
      "the primary organization is missing",
      withOrganizations({ primary: UNKNOWN_ID }),
      "organization.primary",
      /knows no organization dddddddd/,
    ],
    [
      "the other organization is missing",
      withOrganizations({ other: UNKNOWN_ID }),
      "organization.other",
      /knows no organization dddddddd.*404 Not Found on viewOrganization/,
    ],
    [
      "the denied organization is missing",
      (profile) => ({ ...profile, denied: { organization: UNKNOWN_ID } }),
      "organization.denied",
      /404 Not Found on viewOrganization, but it is not known that dddddddd.* exists/,
    ],
    [
      "the denied subject is unknown",
      (profile) => ({ ...profile, denied: { ...(profile["denied"] as Profile), subject: "none" } }),
      "organization.denied",
      /403 Forbidden on viewOrganization, but none is accepted nowhere, and may be unknown/,
    ],
    [
      "local policy allows the denied pair",
      (profile) => ({
        ...profile,
        organizations: { primary: (profile["organizations"] as Profile)["primary"] },
        denied: { organization: (profile["organizations"] as Profile)["other"] },
      }),
      "organization.denied",
      /Local policy does not forbid svc-conformance .*: 200 OK on viewOrganization, not 403/,
    ],
    [
      "the subject may not act there",
      (profile) => ({ ...profile, subject: "nobody" }),
      "organization.primary",
      /The subject nobody may not act on the organization .* answers 403/,
    ],
    [
      "the change does not exist",
      (profile) => ({
        ...profile,
        operations: { readChange: { changeId: "none" }, readChangesFeed: false },
      }),
      "operation.readChange",
      /does not accept a good token, though another operation does: 404/,
    ],
    [
      "the document cannot be read",
      (profile) => ({ ...profile, openapi: `${String(profile["baseUrl"])}/none.json` }),
      "profile.openapi",
      /none\.json cannot be fetched: 404/,
    ],
  ])("reports the problem: %s", async (_what, change, id, detail) => {
    const { code, problems } = await doctorOf(change);
    expect(code).toBe(3);
    expect(problems[0]?.id).toBe(id);
    expect(problems[0]?.detail).toMatch(detail);
    expect(problems[0]?.remedy).toBeTruthy();
  });

  it("says how to prove that a refusal comes from local policy", async () => {
    const missing = await doctorOf((profile) => ({
      ...profile,
      denied: { organization: UNKNOWN_ID },
    }));
    expect(missing.problems[0]?.remedy).toMatch(
      /^Set denied\.subject to a second subject that may act on organizations\.other but not on/,
    );
    const unknown = await doctorOf((profile) => ({
      ...profile,
      denied: { ...(profile["denied"] as Profile), subject: "none" },
    }));
    expect(unknown.problems[0]?.remedy).toMatch(/^Allow it to act on organizations\.other; or /);
  });

  it("names a declared algorithm that is not accepted", async () => {
    const { problems } = await doctorOf(unchanged, { faults: ["rs256-only"] });
    expect(problems.map(({ id }) => id)).toContain("token.key.ES256");
  });

  it("names the accepted typ, and the answers to the others", async () => {
    const { code, of } = await doctorOf(unchanged, { variants: ["typ-jwt-only"] });
    expect(code).toBe(0);
    expect(of("token.typ").detail).toMatch(/^JWT accepted; not at\+jwt \(401 .*\), none \(401 /);
  });

  it("recognises a policy against unbound tokens", async () => {
    const { code, of } = await doctorOf(unchanged, { variants: ["unbound-refused"] });
    expect(code).toBe(0);
    expect(of("token.binding").detail).toMatch(
      /^only bound tokens; unbound: 403 Forbidden; the claim is/,
    );
  });

  it("does not confirm a binding claim that the deployment does not check", async () => {
    const { of } = await doctorOf((profile) => ({
      ...profile,
      claimsNamespace: "https://wrong.example",
    }));
    expect(of("token.binding")).toMatchObject({ state: "unknown" });
    expect(of("token.binding").detail).toMatch(/claimsNamespace is not the deployment's, or/);
  });

  it("names each key that the profile lacks, and the number of MUST cases that need it", async () => {
    const { profile } = await receiver();
    const { code, problems, of } = await doctor({
      baseUrl: profile["baseUrl"],
      organizations: profile["organizations"],
      writes: true,
    });
    expect(code).toBe(3);
    expect(problems.map(({ id }) => id).toSorted()).toEqual(
      [
        "profile.claimsNamespace",
        "profile.denied",
        "profile.operations.editOrganization.body",
        "profile.operations.submitChange.body",
        ...["editOrganization", "submitChange"].map((id) => `profile.operations.${id}.invalidBody`),
      ].toSorted(),
    );
    for (const { side, detail, remedy } of problems) {
      expect([side, remedy !== undefined]).toEqual(["profile", true]);
      expect(detail).toMatch(/without it [1-9]\d* MUST cases? cannot be judged\.$/);
    }
    expect(of("profile.writes").state).toBe("ok");
  });

  it("counts the cases that a run then reports as not provisioned", async () => {
    const { profile } = await receiver();
    const bare = { baseUrl: profile["baseUrl"] };
    const { problems } = await doctor(bare);
    const io = createIo();
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(bare));
    await command(["run"], io);
    const report = JSON.parse(readFileSync(join(io.cwd, "reports/report.json"), "utf8")) as Report;
    const lacking = report.rules
      .flatMap(({ cases }) => cases)
      // Only reading the feed shows that it is too short for pages without writes.
      .filter(({ id }) => !/^pagination\..*@readChangesFeed$/.test(id))
      .flatMap(({ level, missing = [] }) => (level === "MUST" ? missing : []));
    expect(new Set(lacking)).toEqual(new Set(problems.map(({ id }) => id.replace("profile.", ""))));
    for (const { id, detail } of problems) {
      const count = lacking.filter((key) => `profile.${key}` === id).length;
      expect(detail).toContain(`without it ${count} MUST case`);
    }
  });

  it("reports that the change that the profile names does not exist, but another one does", async () => {
    const { code, of } = await doctorOf((profile) => ({
      ...profile,
      operations: { ...(profile["operations"] as Profile), readChange: { changeId: "none" } },
    }));
    expect(code).toBe(0);
    expect(of("operation.readChange").detail).toMatch(/200 OK, with another change than none$/);
  });

  it("is not ready without consent to writes, because a run is then incomplete", async () => {
    const { code, of } = await doctorOf((profile) => ({ ...profile, writes: false }));
    expect(code).toBe(3);
    expect(of("profile.writes")).toMatchObject({
      state: "problem",
      detail: expect.stringMatching(/no consent .* [1-9]\d+ MUST cases cannot be judged/),
      remedy: expect.stringContaining("writes: true"),
    });
  });
});

describe("doctor, when nobody answers", () => {
  it("exits 2 when nobody listens, and marks all other checks as not known", async () => {
    const server = createServer().listen(0, "127.0.0.1");
    await once(server, "listening");
    const { port } = server.address() as AddressInfo;
    server.close();
    const { code, found, problems, of } = await doctor({ baseUrl: `http://127.0.0.1:${port}` });
    expect([code, found.state]).toEqual([2, "unreachable"]);
    expect(problems.slice(0, 1)).toMatchObject([{ id: "connection.reachable", side: "network" }]);
    expect(problems[0]?.detail).toMatch(/ECONNREFUSED/);
    for (const id of ["connection.clock", "token.issuer", "operation.listOrganizations"]) {
      expect(of(id).detail).toMatch(/the base URL comes first$/);
    }
  });

  it("exits 2 when the host is unknown or does not answer in time", async () => {
    const io = createIo();
    await generateKeys(join(io.cwd, "keys"), { algorithms: ["ES256"] });
    const testIssuer = { keys: join(io.cwd, "keys") };
    const nowhere = await doctor({ baseUrl: "http://no-such-host.invalid", testIssuer });
    expect(nowhere.code).toBe(2);
    expect(nowhere.problems[0]?.id).toBe("connection.reachable");
    const { baseUrl } = await listen(() => {});
    const silent = await doctor({ baseUrl, request: { timeoutMs: 50 } });
    expect(silent.code).toBe(2);
    expect(silent.problems[0]?.remedy).toMatch(/firewall.*request\.timeoutMs/);
  });

  it("explains how to trust a certificate that is not trusted, and reports when it is", async () => {
    const server = createTlsServer({ cert: CERTIFICATE, key: KEY }, (_request, response) => {
      response.writeHead(401).end();
    }).listen(0, "127.0.0.1");
    await once(server, "listening");
    onTestFinished(() => void server.close());
    const baseUrl = `https://localhost:${(server.address() as AddressInfo).port}`;
    const refused = await doctor({ baseUrl });
    expect([refused.code, refused.of("connection.reachable").state]).toEqual([2, "ok"]);
    expect(refused.problems[0]).toMatchObject({ id: "connection.tls", side: "profile" });
    expect(refused.problems[0]?.remedy).toContain("request.ca");
    const trusted = await doctor({ baseUrl, request: { ca: "ca.pem" } }, { "ca.pem": CERTIFICATE });
    expect([trusted.code, trusted.of("connection.tls").state]).toEqual([3, "ok"]);
    server.closeAllConnections();
  });

  it("reports that the host does not speak TLS", async () => {
    const { baseUrl } = await listen((_request, response) => void response.end());
    const { code, problems } = await doctor({ baseUrl: baseUrl.replace("http:", "https:") });
    expect(code).toBe(2);
    expect(problems[0]).toMatchObject({ id: "connection.tls", side: "profile" });
    expect(problems[0]?.remedy).toMatch(/^The server does not speak TLS there; is the URL http:/);
  });
});

describe("doctor, when it cannot start or is interrupted", () => {
  it("exits 2 without base URL and profile, and suggests init", async () => {
    const { code, err } = await command(["doctor"]);
    expect(code).toBe(2);
    expect(err).toContain("no base URL and no orgsync.yaml");
    expect(err).toContain("orgsync-conformance init");
  });

  it("uses the bundled keys only on this machine", async () => {
    const { code, err } = await command(["doctor", "http://192.0.2.1"]);
    expect(code).toBe(2);
    expect(err).toContain("The bundled keys are public");
  });

  it("exits 130 when interrupted", async () => {
    const io = createIo();
    const { baseUrl } = await listen(() => io.stop());
    expect((await command(["doctor", baseUrl], io)).code).toBe(130);
  });
});
