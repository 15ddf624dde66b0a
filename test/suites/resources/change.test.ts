import { expect, test } from "vitest";

import { runAgainstReference } from "../../support/run-against.ts";
import { outcomes } from "./support.ts";

test("the id in the answer to a submission counts, also where Location names it", async () => {
  const ran = await runAgainstReference(
    { faults: ["change-always-oldest"] },
    {
      patterns: ["resources.change"],
      profile: (profile) => {
        const operations = profile["operations"] as Record<string, Record<string, unknown>>;
        delete operations["submitChange"]?.["id"];
      },
    },
  );
  const found = outcomes(ran, "resources.change/");
  expect(found["submitted@readChange"]).toBe("fail");
});
