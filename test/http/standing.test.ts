import { expect, test } from "vitest";

import type { HttpRequest } from "../../src/http/exchange.ts";
import { suiteVersion } from "../../src/lib/package-root.ts";
import { OK, type SenderOptions, talking } from "./wire.ts";

/** The fields of the one request that is sent, by name, but for those of the connection. */
async function fieldsOf(
  spec: Partial<HttpRequest>,
  options: SenderOptions = {},
): Promise<Record<string, string>> {
  const { server, send } = await talking(options, OK);
  await send(spec);
  const lines = (server.heard[0]?.head ?? "").split("\r\n").slice(1);
  const fields = lines.map((line) => line.split(": ") as [string, string]);
  const names = fields.map(([name]) => name.toLowerCase());
  expect(new Set(names).size).toBe(names.length);
  return Object.fromEntries(fields.map(([name, value]) => [name.toLowerCase(), value]));
}

test("every request names its sender, its case and what it accepts, and has the profile's fields", async () => {
  const options = { profile: { request: { headers: { "X-Tenant": "blue" } } } };
  expect(await fieldsOf({}, options)).toMatchObject({
    accept: "application/json, */*;q=0.5",
    "user-agent": `orgsync-conformance/${suiteVersion}`,
    "conformance-case": "rule.id/case",
    "x-tenant": "blue",
  });
});

test("a request may omit or replace these header fields", async () => {
  const standing = { accept: undefined, "conformance-case": undefined, "user-agent": "axios/1" };
  const fields = await fieldsOf({ standing });
  expect(fields["user-agent"]).toBe("axios/1");
  expect(Object.keys(fields)).not.toContain("accept");
  expect(Object.keys(fields)).not.toContain("conformance-case");
});

test("a profile's Accept header replaces the default", async () => {
  const options = { profile: { request: { headers: { Accept: "application/vnd.sync+json" } } } };
  expect((await fieldsOf({}, options))["accept"]).toBe("application/vnd.sync+json");
});
