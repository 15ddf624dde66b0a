import { readFileSync } from "node:fs";
import { join } from "node:path";

import { expect, it } from "vitest";

import { fixturePath } from "../../src/lib/package-root.ts";
import { command, ioWith, reportIn } from "../cli/io.ts";
import { documentedReceiver as receiver, listen } from "../cli/servers.ts";

it("an invalid document exits 2 and says what is wrong, before anything is sent", async () => {
  const { baseUrl, methods } = await listen((_request, response) => response.end());
  const profile = { baseUrl, openapi: "openapi.yaml" };
  const io = ioWith(profile, { "openapi.yaml": 'swagger: "2.0"' });
  const { code, err } = await command(["run"], io);
  expect(code).toBe(2);
  expect(err).toContain('openapi.yaml is written for OpenAPI "2.0"');
  expect(err).not.toContain("    at ");
  expect(methods).toEqual([]);
});

it("--dry-run fetches no document", async () => {
  const { baseUrl, methods } = await listen((_request, response) => response.end());
  const io = ioWith({ baseUrl, openapi: `${baseUrl}/openapi.json` });
  const { code, out } = await command(["run", "--dry-run", "--rule", "routes.*"], io);
  expect(code).toBe(0);
  expect(out).toContain("Nothing was sent.");
  expect(methods).toEqual([]);
});

it("a document replaces what the profile would have to say about operations", async () => {
  const { profile } = await receiver();
  const { operations: _operations, ...rest } = profile;
  const openapi = readFileSync(fixturePath("reference.openapi.yaml"), "utf8");
  const io = ioWith({ ...rest, openapi: "openapi.yaml" }, { "openapi.yaml": openapi });
  const rules = ["errors.bad-request", "resources.*", "document.*"];
  const { code } = await command(["run", ...rules.flatMap((rule) => ["--rule", rule])], io);
  expect(code).toBe(0);
  const report = reportIn(io);
  const outcomes = new Set(report.rules.map(({ outcome }) => outcome));
  expect(outcomes).toEqual(new Set(["pass"]));
});

it("without a document, nothing is judged by it", async () => {
  const { profile } = await receiver();
  const { openapi: _openapi, ...rest } = profile;
  const io = ioWith(rest);
  const { code } = await command(["run", "--rule", "document.*"], io);
  expect(code).toBe(0);
  const report = readFileSync(join(io.cwd, "reports/report.json"), "utf8");
  expect(new Set(report.match(/"outcome": "[\w-]+"/g))).toEqual(
    new Set(['"outcome": "not-applicable"']),
  );
});
