import { once } from "node:events";
import { createServer as createTlsServer } from "node:https";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";

import { describe, expect, it, onTestFinished } from "vitest";

import type { Check } from "../../src/doctor/check.ts";
import { generateKeys } from "../../src/keys/generate.ts";
import { CERTIFICATE, KEY } from "../http/certificate.ts";
import { doctor, doctorOf, type Profile, withIssuer } from "./doctor.ts";
import { command, createIo } from "./io.ts";
import { listen } from "./servers.ts";

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
