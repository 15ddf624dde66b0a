import { execFile, spawnSync } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join, relative } from "node:path";

import { expect, onTestFinished, test } from "vitest";

import { asStarted, startedAs } from "../../src/cli/io.ts";
import { createProgram } from "../../src/cli/main.ts";
import { startReference } from "../../src/reference/index.ts";
import { COMMAND } from "../support/built.ts";
import { folderWith } from "../support/folder.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { createIo } from "./io.ts";

test.each([
  ["npx in a project", "/app/node_modules/.bin/orgsync-conformance", undefined],
  [
    "the file in a clone",
    "/suite/bin/orgsync-conformance.js",
    "node ../suite/bin/orgsync-conformance.js",
  ],
  [
    "the file in the clone itself",
    "/app/bin/orgsync-conformance.js",
    "node bin/orgsync-conformance.js",
  ],
  ["a link on the PATH", "/usr/bin/orgsync-conformance", "orgsync-conformance"],
  ["another program that runs the command", undefined, undefined],
])("started by %s, the command is shown as it was started", (_how, script, shown) => {
  const self = ["/usr/bin/node", ...(script === undefined ? [] : [script])] as [string];
  expect(startedAs({ self, cwd: "/app" })?.join(" ")).toBe(shown);
});

test("a command in an error's advice can be pasted as the process was started", () => {
  const wrong = ["bin/orgsync-conformance.js", "verify", "package.json"];
  const { stderr } = spawnSync(process.execPath, wrong, { encoding: "utf8" });
  expect(stderr).toContain("`node bin/orgsync-conformance.js run` writes it");
});

test.each([
  ["`orgsync-conformance run` certifies", "`node bin/orgsync-conformance.js run` certifies"],
  ["Try orgsync-conformance --help.", "Try node bin/orgsync-conformance.js --help."],
  ["npx --no-install orgsync-conformance run", "node bin/orgsync-conformance.js run"],
  ["`orgsync-conformance\n  doctor`", "`node bin/orgsync-conformance.js\n  doctor`"],
  ["orgsync-conformance 0.1.0, Node", "orgsync-conformance 0.1.0, Node"],
  ["https://example.com/orgsync-conformance run", "https://example.com/orgsync-conformance run"],
  ['{"hint":"`orgsync-conformance run`"}', '{"hint":"`orgsync-conformance run`"}'],
])("%j is shown as %j", (text, shown) => {
  const self = ["/usr/bin/node", "/app/bin/orgsync-conformance.js"] as const;
  expect(asStarted(text, { self, cwd: "/app" })).toBe(shown);
});

/** A command that the process was not started as. */
const BARE =
  /(?<![\w./-])orgsync-conformance\s+(?:[a-z]+(?:\s+(?:[<['"$-]|receiver|reports|\S+\.\w+)|[`'"]|$)|--help|\[)/m;

test("no text of any subcommand has a command that cannot be pasted", async () => {
  const [reference, cwd] = [await startReference({ jwks: BUNDLED_JWKS }), folderWith({})];
  onTestFinished(() => reference.close());
  writeFileSync(join(cwd, "orgsync.yaml"), JSON.stringify(reference.profile));
  writeFileSync(join(cwd, "down.yaml"), "baseUrl: http://127.0.0.1:9/x\n");
  const names = createProgram(createIo(), () => undefined).commands.map((one) => one.name());
  const script = relative(cwd, COMMAND);
  const texts: string[] = [];
  const ran = async (...args: string[]): Promise<void> => {
    texts.push(`$ ${args.join(" ")}\n${await said(script, args, cwd)}`);
  };
  await Promise.all(names.map((name) => ran(name, "--help")));
  await Promise.all([ran(), ran("nonsense"), ran("keys", "serve", "none"), ran("decode", "x.y.z")]);
  await Promise.all([ran("keys", "generate", "keys"), ran("init", "--base-url", "nonsense")]);
  await ran("init", "--yes", "--base-url", "http://127.0.0.1:9/x", "--out", "new.yaml");
  await Promise.all([ran("rules", "receiver.expiry"), ran("rules", "none")]);
  await Promise.all([ran("serve", "--list", "audience"), ran("serve", "--list", "none")]);
  await Promise.all([ran("run", "--rule", "receiver.x/y"), ran("run", "-p", "none.yaml")]);
  await Promise.all([ran("run", "-p", "down.yaml"), ran("doctor", "-p", "down.yaml")]);
  await Promise.all([ran("run", "--rule", "routes.reachable"), ran("doctor")]);
  await Promise.all([ran("token", "audience/none"), ran("token", "--client", "none")]);
  await Promise.all([
    ran("token", "--list"),
    ran("token", "audience/other"),
    ran("run", "--failed"),
  ]);
  const report = "reports/report.json";
  await Promise.all([ran("replay", report, "routes.none"), ran("verify", report)]);
  await Promise.all([ran("attest", report, "--key", "none"), ran("merge", "none", "--out", "m")]);
  const bare = texts.filter((text) => BARE.test(text));
  expect(bare).toEqual([]);
  expect(texts.filter((text) => text.includes(`node ${script} `)).length).toBeGreaterThan(20);
}, 120_000);

/** What the command prints, to both streams. */
function said(script: string, args: readonly string[], cwd: string): Promise<string> {
  return new Promise((resolve) => {
    const options = { cwd, encoding: "utf8", timeout: 60_000 } as const;
    execFile(process.execPath, [script, ...args], options, (_error, out, err) => {
      resolve(out + err);
    });
  });
}
