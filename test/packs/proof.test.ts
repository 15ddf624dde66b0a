import { describe, expect, test } from "vitest";

import { packComplaint, provePack } from "../../src/proof/prove-pack.ts";
import { COMMONGRANTS_FAULTS, COMMONGRANTS_VARIANTS } from "../../src/reference/index.ts";
import { ALL, drawnOneIn } from "../proof/selection.ts";

test("the plain receiver conforms to CommonGrants, within the budget of the pack", async () => {
  const proof = await provePack({});
  expect(packComplaint(proof)).toBeUndefined();
  expect(proof.verdict).toBe("conformant");
  expect(proof.seen).toEqual([]);
  expect(proof.open).toEqual([]);
  expect(proof.requests).toBeLessThan(200);
  expect(proof.writes).toBeLessThanOrEqual(25);
});

describe("a fault of the published protocol is caught by its own rule", () => {
  test.concurrent.for(
    drawnOneIn(6, COMMONGRANTS_FAULTS).map(({ name, rule }) => [name, rule] as const),
  )("%s", async ([fault, rule]) => {
    // With `PROOF=all`, all rules run, so that another rule that blames the fault shows.
    const proof = await provePack({ fault }, ALL ? [] : [rule]);
    expect(packComplaint(proof)).toBeUndefined();
    expect(proof.requests).toBeLessThanOrEqual(600);
    expect(proof.writes).toBeLessThanOrEqual(40);
  });
});

describe("a conforming behaviour causes no alarm", () => {
  test.concurrent.for(drawnOneIn(6, COMMONGRANTS_VARIANTS).map(({ name }) => [name] as const))(
    "%s",
    async ([variant]) => {
      const proof = await provePack({ variant });
      expect(packComplaint(proof)).toBeUndefined();
      expect(proof.requests).toBeLessThanOrEqual(600);
      expect(proof.writes).toBeLessThanOrEqual(40);
    },
  );
});
