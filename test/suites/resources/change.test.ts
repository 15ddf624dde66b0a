import { expect, test } from "vitest";

import { runAgainstReference } from "../../support/run-against.ts";
import { outcomes } from "./support.ts";

test("the id in the answer to a submission counts, also where Location names it", async () => {
  const ran = await runAgainstReference(
    { faults: ["change-always-oldest"] },
    {
      patterns: ["resources.change"],
      profile: { operations: { submitChange: { id: null } } },
    },
  );
  const found = outcomes(ran, "resources.change/");
  expect(found["submitted@readChange"]).toBe("fail");
});
