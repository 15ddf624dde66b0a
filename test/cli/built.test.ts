import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { connect } from "node:net";
import { join } from "node:path";
import { createServer as createTlsServer } from "node:tls";

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";

import type { Report } from "../../src/report/report.ts";
import { CERTIFICATE, KEY } from "../http/certificate.ts";
import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
import { listening } from "../support/listening.ts";
import { startProxy } from "../support/proxy.ts";
import { listen, receiver } from "./servers.ts";

interface Options {
  readonly env?: Readonly<Record<string, string>>;
  /** A file to send stdout to. */
  readonly stdout?: string;
  /** Starts Node, which comes next. */
  readonly by?: readonly [string, ...string[]];
}

/** Starts the built command, in a folder of its own with a profile. */
function start(args: readonly string[], profile: object, { env, stdout, by }: Options = {}) {
  const folder = folderWith({ "orgsync.yaml": stringify(profile), "ca.pem": CERTIFICATE });
  const [program, ...first] = [...(by ?? []), process.execPath];
  const file = stdout === undefined ? undefined : openSync(stdout, "w");
  const child = spawn(program, [...first, COMMAND, ...args], {
    cwd: folder,
    env: { PATH: process.env["PATH"], ...env },
    stdio: ["ignore", file ?? "ignore", "pipe"],
    detached: true,
  });
  if (file !== undefined) closeSync(file);
  let said = "";
  child.stderr?.setEncoding("utf8").on("data", (text: string) => (said += text));
  const ended = once(child, "close").then(([code]) => ({ code: code as number | null, said }));
  const report = (): Report | undefined => {
    const path = join(folder, "reports/report.json");
    return existsSync(path) ? (JSON.parse(readFileSync(path, "utf8")) as Report) : undefined;
  };
  return { child, ended, report };
}

/** The profile of a receiver as `sync.example`, and the port that answers for it. */
async function far(scheme: string): Promise<{ profile: object; port: number }> {
  const { baseUrl, profile } = await receiver();
  const { port, hostname, pathname } = new URL(baseUrl);
  const named = { ...profile, audience: baseUrl, baseUrl: `${scheme}://sync.example${pathname}` };
  if (scheme === "http") return { profile: named, port: Number(port) };
  const front = createTlsServer({ key: KEY, cert: CERTIFICATE }, (socket) => {
    const target = connect(Number(port), hostname);
    for (const one of [socket, target]) one.on("error", () => {});
    socket.pipe(target).pipe(socket);
  });
  const request = { ca: "ca.pem" };
  return { profile: { ...named, request }, port: Number(new URL(await listening(front)).port) };
}

describe("a proxy of the environment", () => {
  const CREDENTIALS = "user:proxy-pass@word";
  const ESCAPED = "user:proxy-pass%40word";
  // Headers and bytes that proxies keep to themselves are sent too.
  const RULE = ["run", "--allow-bundled-keys", "--rule", "receiver.token-required/*@listOrg*"];

  test.each([
    ["http", "HTTP_PROXY", "http://", undefined],
    ["http", "all_proxy", "", CREDENTIALS],
    ["https", "ALL_PROXY", "", undefined],
    ["https", "https_proxy", "http://", CREDENTIALS],
  ])(
    "carries all requests to an %s target: %s=%s…, %s",
    async (scheme, variable, prefix, wanted) => {
      const { profile, port } = await far(scheme);
      const { host, asked } = await startProxy(port, wanted);
      const value = `${prefix}${wanted === undefined ? "" : `${ESCAPED}@`}${host}`;
      const { ended, report } = start(RULE, profile, { env: { [variable]: value } });
      expect(await ended).toMatchObject({ code: 0 });
      expect(new Set(asked)).toEqual(new Set([`sync.example:${scheme === "http" ? 80 : 443}`]));
      expect(report()).toMatchObject({ verdict: "partial" });
      expect(JSON.stringify(report())).not.toContain("proxy-pass");
    },
  );

  test.each([
    ["wants credentials", { wanted: CREDENTIALS }, /wants a user and password.*HTTPS_PROXY/],
    ["refuses", {}, /403 Forbidden[^]*HTTPS_PROXY.*CONNECT/],
    ["is not there", { host: "127.0.0.1:9" }, /ECONNREFUSED[^]*HTTPS_PROXY/],
    ["is a SOCKS proxy", { host: "socks5://127.0.0.1:9" }, /HTTPS_PROXY names a SOCKS proxy/],
  ])(
    "that %s is named, with its variable",
    async (_what, { wanted, host }: { wanted?: string; host?: string }, named) => {
      const value = host ?? (await startProxy(undefined, wanted)).host;
      const profile = { baseUrl: "https://sync.example/x" };
      const { ended } = start(RULE, profile, { env: { HTTPS_PROXY: value } });
      expect(await ended).toEqual({ code: 2, said: expect.stringMatching(named) as string });
    },
  );
});

test("a Node that is too old is told so in one line", async () => {
  const old = "Object.defineProperty(process.versions, 'node', { value: '20.18.3' })";
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(old)}` };
  const { code, said } = await start(["run"], {}, { env }).ended;
  expect([code, said]).toEqual([2, expect.stringMatching(/^.*needs Node 20\.19 or newer.*\n$/)]);
});

test("an output that cannot be written is no bug, and no success", async () => {
  const { profile } = await receiver();
  const rule = ["run", "--rule", "receiver.issuer/*@listOrganizations"];
  const { ended, report } = start(rule, profile, { stdout: "/dev/full" });
  const { code, said } = await ended;
  expect([code, report()?.verdict]).toEqual([2, "partial"]);
  expect(said).toMatch(/^error: the output cannot be written to stdout: ENOSPC/m);
  expect(said).not.toContain("bug");
});

test.each(["/proc/reports", "/dev/null/reports"])("no folder can be made at %s", async (folder) => {
  const { ended } = start(["run", "--out", folder], {});
  const { code, said } = await ended;
  expect([code, said]).toEqual([2, expect.stringContaining(`Reports cannot go to ${folder}`)]);
});

describe("when the terminal is closed", () => {
  const RULE = ["run", "--rule", "receiver.issuer/*@listOrganizations"];

  test("a run ends", async () => {
    const { baseUrl } = await listen(() => {});
    const { child, ended } = start(RULE, { baseUrl });
    child.stderr?.once("data", () => child.kill("SIGHUP"));
    expect(await ended).toMatchObject({ code: 130 });
  });

  test.each([
    ["under nohup", ["bash", "-c", 'trap : HUP; nohup "$0" "$@"; exit $?']],
    ["where its parent ignores that", ["sh", "-c", 'trap "" HUP; "$0" "$@"; exit $?']],
  ] as const)("a run goes on %s", async (_what, by) => {
    const { profile } = await receiver();
    const { child, ended, report } = start(RULE, profile, { by });
    // To the group, as the system does.
    child.stderr?.once("data", () => process.kill(-(child.pid as number), "SIGHUP"));
    expect(await ended).toMatchObject({ code: 0 });
    expect(report()?.verdict).toBe("partial");
  });
});
