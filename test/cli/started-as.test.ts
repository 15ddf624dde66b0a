import { spawnSync } from "node:child_process";

import { expect, test } from "vitest";

import { startedAs } from "../../src/cli/io.ts";

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
