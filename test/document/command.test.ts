import { readFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";

import { expect, it } from "vitest";

import { fixturePath } from "../../src/lib/package-root.ts";
import type { ReportRule } from "../../src/report/report.ts";
import { command, createIo, type TestIo } from "../cli/io.ts";
import { documentedReceiver as receiver, listen } from "../cli/servers.ts";

/** A folder in which the profile is, with the files beside it. */
async function folderWith(
  profile: Record<string, unknown>,
  files: Record<string, string> = {},
): Promise<TestIo> {
  const io = createIo();
  for (const [name, text] of Object.entries(files)) await writeFile(join(io.cwd, name), text);
  await writeFile(join(io.cwd, "orgsync.yaml"), JSON.stringify(profile));
  return io;
}

it("an invalid document exits 2 and says what is wrong, before anything is sent", async () => {
  const { baseUrl, methods } = await listen((_request, response) => response.end());
  const profile = { baseUrl, openapi: "openapi.yaml" };
  const io = await folderWith(profile, { "openapi.yaml": 'swagger: "2.0"' });
  const { code, err } = await command(["run"], io);
  expect(code).toBe(2);
  expect(err).toContain('openapi.yaml is written for OpenAPI "2.0"');
  expect(err).not.toContain("    at ");
  expect(methods).toEqual([]);
});

it("--dry-run fetches no document", async () => {
  const { baseUrl, methods } = await listen((_request, response) => response.end());
  const io = await folderWith({ baseUrl, openapi: `${baseUrl}/openapi.json` });
  const { code, out } = await command(["run", "--dry-run", "--rule", "routes.*"], io);
  expect(code).toBe(0);
  expect(out).toContain("Nothing was sent.");
  expect(methods).toEqual([]);
});

it("a document replaces what the profile would have to say about operations", async () => {
  const { profile } = await receiver();
  const { operations: _operations, ...rest } = profile;
  const openapi = readFileSync(fixturePath("reference.openapi.yaml"), "utf8");
  const io = await folderWith({ ...rest, openapi: "openapi.yaml" }, { "openapi.yaml": openapi });
  const rules = ["errors.bad-request", "resources.*", "document.*"];
  const { code } = await command(["run", ...rules.flatMap((rule) => ["--rule", rule])], io);
  expect(code).toBe(0);
  const report = JSON.parse(readFileSync(join(io.cwd, "reports/report.json"), "utf8")) as {
    rules: ReportRule[];
  };
  const outcomes = new Set(report.rules.map(({ outcome }) => outcome));
  expect(outcomes).toEqual(new Set(["pass"]));
});

it("without a document, nothing is judged by it", async () => {
  const { profile } = await receiver();
  const { openapi: _openapi, ...rest } = profile;
  const io = await folderWith(rest);
  const { code } = await command(["run", "--rule", "document.*"], io);
  expect(code).toBe(0);
  const report = readFileSync(join(io.cwd, "reports/report.json"), "utf8");
  expect(new Set(report.match(/"outcome": "[\w-]+"/g))).toEqual(
    new Set(['"outcome": "not-applicable"']),
  );
});
