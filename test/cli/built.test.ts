import { spawn } from "node:child_process";
import { once } from "node:events";
import { closeSync, existsSync, openSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, test } from "vitest";
import { stringify } from "yaml";

import type { Report } from "../../src/report/report.ts";
import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
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
  const folder = folderWith({ "orgsync.yaml": stringify(profile) });
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

test.each([
  [
    "a Node that is too old",
    "Object.defineProperty(process.versions, 'node', { value: '20.18.3' })",
    "needs Node 20.19 or newer; this is v",
  ],
  ["Bun", "globalThis.Bun = { version: '1.2.3' }", "needs Node; this is Bun 1.2.3."],
  ["Deno", "globalThis.Deno = { version: { deno: '2.3.4' } }", "needs Node; this is Deno 2.3.4."],
])("%s is told in one line that the suite needs another one", async (_which, made, told) => {
  const env = { NODE_OPTIONS: `--import=data:text/javascript,${encodeURIComponent(made)}` };
  const { code, said } = await start(["run"], {}, { env }).ended;
  expect([code, said]).toEqual([2, expect.stringMatching(/^.*\n$/)]);
  expect(said).toContain(told);
});

test("an output that cannot be written is no bug, and no success", async () => {
  const { profile } = await receiver();
  const rule = ["run", "--rule", "receiver.issuer/*@listOrganizations"];
  const { ended, report } = start(rule, profile, { stdout: "/dev/full" });
  const { code, said } = await ended;
  expect([code, report()?.verdict]).toEqual([2, "partial"]);
  expect(said).toMatch(/^error: the output cannot be written to stdout: the disk is full/m);
  expect(said).not.toContain("bug");
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
