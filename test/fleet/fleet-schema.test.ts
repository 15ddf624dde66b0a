import { readFileSync } from "node:fs";

import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "oxfmt";
import { describe, expect, it, test } from "vitest";

import { fleetJsonSchema } from "../../src/fleet/fleet-file.ts";
import { fixturePath } from "../../src/lib/package-root.ts";

test("fixtures/fleet.schema.json is made from the one definition; `npx vitest run test/fleet/fleet-schema.test.ts -u` writes it", async () => {
  const { code } = await format("fleet.schema.json", JSON.stringify(fleetJsonSchema()));
  await expect(code).toMatchFileSnapshot("../../fixtures/fleet.schema.json");
});

describe("fleet.schema.json", () => {
  const schema = JSON.parse(readFileSync(fixturePath("fleet.schema.json"), "utf8")) as object;
  const validate = new Ajv2020().compile(schema);

  it.each<[boolean, string, unknown]>([
    [true, "no run", { runs: [] }],
    [true, "a run without a result", { runs: [{ name: "a" }] }],
    [
      true,
      "a verdict and its report",
      { runs: [{ name: "a/b", verdict: "partial", report: "r" }] },
    ],
    [
      true,
      "a verdict on a pack",
      {
        runs: [
          {
            name: "a",
            verdict: "partial",
            packs: [{ id: "p", version: "1", title: "P 1", verdict: "conformant" }],
          },
        ],
      },
    ],
    [true, "an error", { runs: [{ name: "a", error: "it crashed" }] }],
    [true, "a shard", { runs: [], shard: { number: 2, of: 5, others: ["a"] } }],
    [false, "another verdict", { runs: [{ name: "a", verdict: "passed" }] }],
    [false, "a run without a name", { runs: [{ verdict: "partial" }] }],
    [false, "a name that leads out of the folder", { runs: [{ name: "../a" }] }],
    [false, "a name that leads out of the folder again", { runs: [{ name: "a/../../b" }] }],
    [false, "a name that is a path from the root", { runs: [{ name: "/a" }] }],
  ])("%j: %s", (valid, _what, fleet) => {
    expect(validate(fleet)).toBe(valid);
  });
});
