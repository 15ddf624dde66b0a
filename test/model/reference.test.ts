import { expect, test } from "vitest";

import { FAULTS } from "../../src/reference/index.ts";
import { agree } from "./agreement.ts";

const SEED = Number(process.env["SEED"] ?? 1);

test("the reference receiver answers 2,000 drawn requests as the model says", async () => {
  const { accepted, rejected, open } = await agree(2000, SEED);
  const all = accepted + rejected + open;
  expect(all).toBeGreaterThanOrEqual(2000);
  expect(accepted / all).toBeGreaterThan(0.1);
  expect(rejected / all).toBeGreaterThan(0.3);
  expect(open / all).toBeLessThan(0.4);
});

/** So that the agreement means something: with any of these faults, it ends. */
test.each([
  "signature-unchecked",
  "issuer-unchecked",
  "audience-unchecked",
  "expiry-unchecked",
  "scope-unchecked",
  "binding-unchecked",
  "policy-unchecked",
])("the draws notice a receiver with the fault %s", async (name) => {
  const fault = FAULTS.find((one) => one.name === name);
  expect(fault).toBeDefined();
  await expect(agree(2000, SEED, fault ? [fault] : [])).rejects.toThrow(/Property failed/);
});
