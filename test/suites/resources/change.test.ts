import { expect, test } from "vitest";

import { runCases } from "../support.ts";
import { outcomes } from "./support.ts";

test("the id in the answer to a submission counts, also where Location names it", async () => {
  const ran = await runCases("resources.change", {
    faults: ["change-always-oldest"],
    profile: { operations: { submitChange: { id: null } } },
  });
  const found = outcomes(ran, "resources.change/");
  expect(found["submitted@readChange"]).toBe("fail");
});
