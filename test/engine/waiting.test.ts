import { expect, test } from "vitest";

import { casesOn } from "../../src/probe/cases.ts";
import { BAD, refusing, runTiny } from "./tiny.ts";

const MANY = 100;

test("a case that waits starts before earlier cases of the list", async () => {
  const others = refusing(["viewOrganization"], {
    cases: () =>
      casesOn(
        ["viewOrganization"],
        Array.from({ length: MANY }, (_, at) => ({ ...BAD, name: `bad-${at + 1}` })),
      ),
  });
  const waiting = refusing(["viewOrganization"], {
    id: "tiny.waiting",
    // Cases of a MUST come early anyway.
    level: "SHOULD",
    cases: () =>
      casesOn(["viewOrganization"], [BAD]).map((one) => ({ ...one, phase: "waiting" as const })),
  });
  const { calls, outcomes } = await runTiny([others, waiting]);
  const probes = calls.filter(({ isBad }) => isBad).map(({ caseId }) => caseId);
  expect(probes).toHaveLength(MANY + 1);
  expect(probes.indexOf("tiny.waiting/bad@viewOrganization")).toBeLessThan(MANY / 2);
  expect(outcomes["tiny.waiting/bad@viewOrganization"]).toBe("pass");
});
