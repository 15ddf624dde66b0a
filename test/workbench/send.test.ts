import { execFile } from "node:child_process";
import { createServer } from "node:http";
import { promisify } from "node:util";

import { decodeJwt } from "jose";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";
import { stringify } from "yaml";

import { startReference } from "../../src/reference/index.ts";
import { mergePatch } from "../../src/reference/merge-patch.ts";
import type { Answer, Edited } from "../../src/workbench/api.ts";
import { command, createIo, reportIn, textIn } from "../cli/io.ts";
import { listen } from "../cli/servers.ts";
import { listening } from "../support/listening.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import {
  BELOW,
  caseOf,
  exported,
  good,
  opened,
  probeOf,
  send,
  SEGMENTS,
  sent,
  stateOf,
  withClaims,
  withProfile,
  type World,
  world,
} from "./workbench.ts";

let own: World;

beforeAll(async () => {
  own = await world();
});

afterAll(() => own.close());

describe("sending", () => {
  it("shows what failed, both requests, and sends the probe again with one claim changed", async () => {
    const { files, profile } = own;
    const page = await opened(files);
    const state = await stateOf(page);
    expect(state.sending).toEqual({ on: true });
    expect(state.profile).toMatchObject({ file: "orgsync.yaml", writes: true, signs: true });
    const cases = state.rules.flatMap((rule) => rule.cases);
    expect(cases.every(({ outcome }) => outcome === "fail")).toBe(true);
    expect(cases.map(({ id }) => id)).toContain(BELOW);

    const detail = await caseOf(page);
    expect(detail.differences).toMatchObject([{ part: "claim", name: "aud" }]);
    expect(detail.requirement).toBe("aud equals the receiver's own base URL.");
    expect(detail.control?.token?.claims?.["aud"]).toBe(profile["baseUrl"]);
    expect(detail.probe?.token?.claims?.["aud"]).toBe(`${String(profile["baseUrl"])}/untrusted`);
    expect(detail.probe?.answer).toMatchObject({ is: "response", status: 200 });
    expect(detail.start.probe?.edited.credential).toMatchObject({
      kind: "sign",
      key: "issuer",
      claims: { iat: expect.stringMatching(/^now-\d+$/), exp: expect.stringMatching(/^now\+\d+$/) },
    });

    const again = await sent(page, await probeOf(page));
    expect(again).toMatchObject({
      number: 1,
      answer: { status: 200 },
      agrees: false,
      contract: {
        is: "rejected",
        level: "MUST",
        by: [{ check: "Receiver check 3, audience", sentence: detail.requirement }],
      },
    });
    const mended = withClaims(await probeOf(page), { aud: profile["baseUrl"] });
    const accepted = await sent(page, mended);
    expect(accepted).toMatchObject({ number: 2, agrees: true, contract: { is: "accepted" } });
    expect((await stateOf(page)).sent.map(({ number }) => number)).toEqual([1, 2]);
  });

  it("says which check rejects an edited token, and what is open", async () => {
    const { files } = own;
    const page = await opened(files);
    const start = await good(page);
    const checks = async (edited: Edited): Promise<unknown> => {
      const { contract } = await sent(page, edited);
      return contract.is === "rejected" ? contract.by.map(({ check }) => check) : contract.is;
    };
    expect(await checks(start)).toBe("accepted");
    expect(await checks(withClaims(start, { scope: "org:write" }))).toEqual([
      "Receiver check 5, scope",
    ]);
    expect(
      await checks(withClaims(start, { exp: "now-3600", iss: "https://other.example" })),
    ).toEqual(["Receiver check 2, issuer", "Receiver check 4, expiry"]);
    const { credential } = start;
    const signed = credential.kind === "sign" ? credential : undefined;
    for (const key of ["other", "none"] as const) {
      const forged = { ...start, credential: { ...signed, key } as Edited["credential"] };
      expect(await checks(forged)).toEqual(["Receiver check 1, signature"]);
    }
    const bare = { ...start, headers: [], credential: { kind: "none" } as const };
    expect(await checks(bare)).toEqual(["Receiver check 1, signature"]);
    expect(await checks({ ...start, path: `${start.path}?unknown=1` })).toBe("open");
  });

  it("sends the token of a case as its rule makes it, where JSON cannot show it", async () => {
    const id = SEGMENTS;
    const { files } = own;
    const page = await opened(files);
    const edited = await probeOf(page, id);
    expect(edited.credential).toEqual({ kind: "case", id });
    expect(await sent(page, edited)).toMatchObject({ agrees: true, answer: { status: 401 } });
  });

  it("holds no secret and no live token in any answer", async () => {
    const files = withProfile(own, {
      request: { headers: { "x-api-key": "hunter2hunter2" } },
    });
    const page = await opened(files);
    const probe = await probeOf(page);
    await sent(page, probe);
    await sent(page, await good(page));
    const bodies = [
      JSON.stringify(await stateOf(page)),
      JSON.stringify(await page.get(`api/case?id=${BELOW}`)),
      ...(await Promise.all(
        (["curl", "http", "case"] as const).map(async (as) => exported(page, 1, as)),
      )),
    ];
    for (const body of bodies) expect(body).not.toMatch(/eyJ[\w-]{10}|hunter2|"d":/);
    expect(bodies[0]).toContain("[redacted]");
  });
});

describe("the good request that reads a change", () => {
  const UNNAMED = { operations: { readChange: { changeId: null } } };

  it.each([
    ["without a recorded one", () => ({ ...own.report, exchanges: {} })],
    [
      "where the recorded one is gone",
      (): unknown =>
        JSON.parse(
          JSON.stringify(own.report).replaceAll(
            /\/changes\/[\w-]+/g,
            "/changes/00000000-0000-4000-8000-00000000dead",
          ),
        ),
    ],
    ["as it was recorded", () => own.report],
  ])("names one that exists, %s", async (_what, report) => {
    const profile = mergePatch(own.profile, UNNAMED);
    const page = await opened({
      "orgsync.yaml": stringify(profile),
      "report.json": JSON.stringify(report()),
    });
    const start = await good(page, "readChange");
    expect(await sent(page, start)).toMatchObject({
      answer: { status: 200 },
      contract: { is: "accepted" },
    });
    // What was read for it is not in the list of what the user sent.
    expect((await stateOf(page)).sent).toHaveLength(1);
  });
});

describe("a case that rests on many requests", () => {
  it("gives each of them, to be edited and sent", async () => {
    const receiver = await startReference({ jwks: BUNDLED_JWKS, faults: ["pages-skip"] });
    onTestFinished(() => receiver.close());
    const { openapi: _document, ...profile } = receiver.profile;
    const text = stringify(profile);
    const io = createIo({}, "", { "orgsync.yaml": text });
    await command(["run", "--seed", "7", "--rule", "pagination.*"], io);
    const report = reportIn(io);
    const failed = report.rules.flatMap(({ cases }) =>
      cases.filter(({ outcome }) => outcome === "fail"),
    );
    const page = await opened({ "orgsync.yaml": text, "report.json": JSON.stringify(report) });
    const all = await Promise.all(failed.map(async ({ id }) => (await caseOf(page, id)).all));
    const [most = []] = all.toSorted((a, b) => b.length - a.length);
    expect(most.length).toBeGreaterThan(2);
    for (const { shown, start } of most.slice(0, 3)) {
      if (!start) throw new Error(`${shown.path} cannot be edited`);
      expect(start.edited.path).toBe(shown.path);
      const again = await sent(page, start.edited);
      expect(again.path).toBe(shown.path);
      expect(again.answer).toMatchObject({ is: "response", status: statusOf(shown.answer) });
    }
  });
});

function statusOf(answer: Answer): number {
  return answer.is === "response" ? answer.status : 0;
}

describe("where requests go", () => {
  it("sends every path and field to the origin of the profile, and to no other", async () => {
    const strangers: string[] = [];
    const stranger = await listening(
      createServer((request, response) => {
        strangers.push(request.url ?? "");
        response.end();
      }),
    );
    const asked: string[] = [];
    const deployment = createServer((request, response) => {
      asked.push(`${request.headers.host} ${request.url}`);
      response.end("{}");
    });
    const origin = await listening(deployment);
    const { report } = own;
    const hostile = { ...report, target: { ...report.target, baseUrl: `${stranger}/base` } };
    const page = await opened({
      "orgsync.yaml": stringify({ baseUrl: `${origin}/base` }),
      "report.json": JSON.stringify(hostile),
    });
    const { host } = new URL(stranger);
    const start = await good(page, "listOrganizations");
    const paths = [`//${host}/x`, `${stranger}/x`, `/\\${host}/x`, `/x@${host}`, `/../..//${host}`];
    for (const path of paths) await sent(page, { ...start, path });
    for (const [name, value] of [
      ["host", host],
      ["forwarded", `host=${host}`],
      ["x-forwarded-host", host],
    ] as const) {
      await sent(page, { ...start, headers: [...start.headers, [name, value]] });
    }
    // What the hostile report says of its own requests begins at the origin of the profile too.
    await sent(page, await probeOf(page));
    expect(strangers).toEqual([]);
    expect(asked.slice(0, 5).map((one) => one.split(" ")[1])).toEqual(paths);
    expect(asked[5]).toMatch(new RegExp(`^${host} `));
    expect(asked).toHaveLength(9);
  });

  it.each([
    ["a path without a slash", { path: "@attacker.test/" }, "begins with a slash"],
    ["a line break in the path", { path: "/a HTTP/1.1\r\nHost: b\r\n\r\n" }, "control characters"],
    ["a line break in a field", { headers: [["x", "a\r\nx-other: b"]] }, "line break"],
    ["a line break in a name", { headers: [["x\r\nhost", "b"]] }, "not the name"],
    ["another length", { headers: [["content-length", "3"]] }, "sets the header field"],
    ["the method CONNECT", { method: "CONNECT" }, "method"],
    ["a method with blanks", { method: "GET / HTTP/1.1\r\n" }, "method"],
  ])("refuses %s", async (_what, change, why) => {
    const { baseUrl, methods } = await listen((_request, response) => void response.end());
    const { report } = own;
    const page = await opened({
      "orgsync.yaml": stringify({ baseUrl }),
      "report.json": JSON.stringify(report),
    });
    const edited = {
      ...(await good(page, "listOrganizations")),
      ...change,
      credential: { kind: "none" },
    };
    const headers = "headers" in change ? change.headers : [];
    const plain = { ...edited, headers } as unknown as Edited;
    expect(await send(page, plain)).toMatchObject({
      is: "refused",
      because: expect.stringContaining(why),
    });
    expect(methods).toEqual([]);
  });

  it("sends nothing without a profile, whatever the report names", async () => {
    const { report } = own;
    const page = await opened({ "report.json": JSON.stringify(report) });
    expect((await stateOf(page)).sending).toMatchObject({
      on: false,
      because: expect.stringContaining("--profile"),
    });
    const headers = { origin: page.page.origin, "content-type": "application/json" };
    const edited = { method: "GET", path: "/", headers: [], credential: { kind: "none" } };
    for (const [path, body] of [
      ["api/send", { edited }],
      ["api/judge", { failed: true }],
    ] as const) {
      expect(await page.raw(path, headers, "POST", JSON.stringify(body))).toMatchObject({
        status: 409,
      });
    }
    expect((await caseOf(page)).start).toEqual({});
  });
});

describe("writes", () => {
  it("asks before a write, counts what was accepted, and stops at the budget", async () => {
    const { files } = own;
    const page = await opened(files);
    const start = await good(page, "submitChange");
    expect(await send(page, start)).toMatchObject({ is: "needs-confirmation", writesLeft: 19 });
    const disguised = {
      ...(await good(page)),
      headers: [["x-http-method-override", "PATCH"]],
      credential: { kind: "none" },
    } as Edited;
    expect(await send(page, disguised)).toMatchObject({ is: "needs-confirmation" });
    expect((await sent(page, start, true)).answer).toMatchObject({ is: "response" });
    expect((await stateOf(page)).writesLeft).toMatchObject({ submitChange: 18 });
    for (let time = 0; time < 18; time += 1) await sent(page, start, true);
    expect(await send(page, start, true)).toMatchObject({
      is: "refused",
      because: expect.stringContaining("limit of 19 accepted writes"),
    });
    expect((await stateOf(page)).writesLeft).toMatchObject({
      submitChange: 0,
      editOrganization: 19,
    });
  });

  it.each([
    [["--read-only"], {}, "--read-only"],
    [[], { writes: false }, "does not consent"],
  ])("refuses writes with %j and %j", async (flags, profile, why) => {
    const files = withProfile(own, profile);
    const page = await opened(files, ...flags);
    const answer = await send(page, await good(page, "editOrganization"), true);
    expect(answer).toMatchObject({ is: "refused", because: expect.stringContaining(why) });
  });

  it("refuses a write to an organization that the profile does not consent to", async () => {
    const { files } = own;
    const page = await opened(files);
    const start = await good(page, "editOrganization");
    const other = "99999999-9999-4999-8999-999999999999";
    const path = start.path.replace(/[\da-f-]{36}/, other);
    for (const one of [path, path.replace("9", "%39")]) {
      const answer = await send(page, { ...start, path: one }, true);
      expect(answer).toMatchObject({ is: "refused", because: expect.stringContaining(other) });
    }
  });
});

describe("the profile", () => {
  it("runs no command before a click", async () => {
    const { report } = own;
    const { baseUrl } = await listen((_request, response) => void response.end("{}"));
    const profile = {
      baseUrl,
      testIssuer: false,
      tokens: { command: [process.execPath, "-e", "process.stdout.write('a.b.c')"] },
    };
    const page = await opened({
      "orgsync.yaml": stringify(profile),
      "report.json": JSON.stringify(report),
    });
    const start = await good(page, "listOrganizations");
    expect(start.credential).toEqual({ kind: "client", name: "tokens.command" });
    expect(await send(page, start)).toMatchObject({ is: "needs-commands" });
    expect(await page.post("api/judge", { failed: true })).toMatchObject({ is: "needs-commands" });
    expect(await page.post("api/allow", { commands: true })).toMatchObject({
      profile: { commandsAllowed: true },
    });
    expect((await sent(page, start)).headers).toContainEqual([
      "authorization",
      "Bearer [redacted]",
    ]);
  });

  it("obeys --untrusted: no private address but one that the command line names", async () => {
    const { files, profile } = own;
    const page = await opened(files, "--untrusted");
    expect((await stateOf(page)).sending).toMatchObject({
      on: false,
      because: expect.stringContaining("not on the public internet"),
    });
    const named = await opened(files, String(profile["baseUrl"]), "--untrusted");
    expect((await sent(named, await good(named))).answer).toMatchObject({ status: 200 });
  });

  it("does not use the bundled keys against another host", async () => {
    const { report } = own;
    const page = await opened({
      "orgsync.yaml": stringify({ baseUrl: "https://sync.example.com/base" }),
      "report.json": JSON.stringify(report),
    });
    const { sending } = await stateOf(page);
    expect(sending).toMatchObject({ on: false, because: expect.stringContaining("keys") });
  });
});

describe("export", () => {
  it("gives a curl command that makes its token with the claims that were sent", async () => {
    const page = await opened(own.files);
    const sub = `it's "$HOME" \\ me`;
    const { number } = await sent(page, withClaims(await good(page), { sub }));
    const text = await exported(page, number, "curl");
    // What the shell gives to the two commands.
    const stubs = `npx() { printf '%s\\0' "$@" >words; echo a.b.c; }; curl() { printf '%s\\n' "$@"; };`;
    const { cwd } = page.io;
    const { stdout } = await promisify(execFile)("sh", ["-c", `${stubs} ${text}`], { cwd });
    expect(stdout).toContain("\nauthorization: Bearer a.b.c\n");
    const [noInstall, program, ...words] = textIn(page.io, "words").split("\0").slice(0, -1);
    expect([noInstall, program]).toEqual(["--no-install", "orgsync-conformance"]);
    const { code, out } = await command(words, createIo({}, "", own.files));
    expect(code).toBe(0);
    const claims = decodeJwt(out.trim());
    expect(claims).toMatchObject({ sub, aud: own.profile["baseUrl"] });
    expect((claims.exp ?? 0) - Date.now() / 1000).toBeGreaterThan(500);
  });

  it("gives a .http file with a variable, and a case that a run of a pack judges", async () => {
    const { files } = own;
    const page = await opened(files);
    const { number } = await sent(
      page,
      withClaims(await good(page), { aud: "https://other.example" }),
    );
    const http = await exported(page, number, "http");
    expect(http).toMatch(/\n@token = \n\nGET http:/);
    expect(http).toContain("\nauthorization: Bearer {{token}}\n");
    const text = await exported(page, number, "case");
    const pack = `
      import { definePack } from ${JSON.stringify(new URL("../../src/index.ts", import.meta.url).href)};
      export default definePack({
        id: "house", version: "1.0", title: "House rules",
        requirements: [{ id: "house.one", clause: "1", level: "MUST", text: "It holds." }],
        rules: [{ id: "house.edited", title: "It holds", level: "MUST", verifies: ["house.one"], cases: () => [
          ${text}
        ] }],
      });`;
    const io = createIo({}, "", { ...files, "house.mjs": pack });
    await command(["run", "--rule", "house.edited", "--pack", "./house.mjs"], io);
    const judged = reportIn(io).packs?.[0]?.rules[0]?.cases[0];
    expect(judged).toMatchObject({ id: "house.edited/edited@viewOrganization", outcome: "pass" });
    expect(judged?.evidence?.differences).toMatchObject([
      { part: "claim", name: "aud", probe: "https://other.example" },
    ]);
  });
});
