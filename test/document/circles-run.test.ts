import { expect, it } from "vitest";

import type { ReportRule } from "../../src/report/report.ts";
import { command, ioWith, reportIn } from "../cli/io.ts";
import { listen } from "../cli/servers.ts";
import { type Json, ref, viewing } from "./support.ts";

const ID = "11111111-1111-4111-8111-111111111111";
const THING = {
  type: "object",
  required: ["id", "kind"],
  properties: { id: { type: "string" }, kind: { type: "string" } },
};

/** Runs `document.responses` against a receiver that answers one body, whose document has the schemas. */
async function judged(
  schemas: Json,
  answer: object,
  version: string,
): Promise<ReportRule["cases"][number]> {
  const { baseUrl } = await listen((_request, response) => {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(answer));
  });
  const document = viewing(ref("Thing"), schemas);
  const profile = { baseUrl, openapi: "api.json", organizations: { primary: ID } };
  const io = ioWith(profile, { "api.json": JSON.stringify({ ...document, openapi: version }) });
  const { code, err } = await command(["run", "--rule", "document.responses/success*"], io);
  expect(err).not.toContain("bug");
  expect(code).not.toBe(2);
  const found = reportIn(io)
    .rules.flatMap(({ cases }) => cases)
    .find(({ id }) => id === "document.responses/success@viewOrganization");
  if (!found) throw new Error("the case was not run");
  return found;
}

it.each(["3.0.3", "3.1.0"])("a run judges answers by recursive schemas, %s", async (version) => {
  const schemas = {
    Thing: {
      ...THING,
      oneOf: [ref("Big"), ref("Small")],
      discriminator: { propertyName: "kind" },
    },
    Big: { allOf: [ref("Thing"), { properties: { size: { type: "integer" } } }] },
    Small: { allOf: [ref("Thing"), { properties: { near: { type: "boolean" } } }] },
  };
  const good = { id: ID, kind: "Big", size: 7 };
  expect((await judged(schemas, good, version)).outcome).toBe("pass");
  const bad = await judged(schemas, { ...good, kind: 7 }, version);
  expect(bad).toMatchObject({
    outcome: "warn",
    actual: expect.stringContaining("/kind") as string,
  });
});

it.each([
  ["is its own negation", { Thing: { not: ref("Thing") } }, /`not` has a schema/],
  ["refers to nothing", { Thing: { allOf: [ref("Nothing")] } }, /Nothing` cannot be resolved/],
])("a run names a schema that %s, and does not judge by it", async (_what, schemas, reason) => {
  const { outcome, reason: told } = await judged(schemas, { id: ID, kind: "a" }, "3.1.0");
  expect(outcome).toBe("inconclusive");
  expect(told).toMatch(reason);
});
