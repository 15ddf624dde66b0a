import { expect, test } from "vitest";

import { rulesWith, runAgainstReference } from "../../support/run-against.ts";

test.for([false, true])(
  "invented ids of a feed are blamed on the feed alone: %s",
  async (readOnly) => {
    const ran = await runAgainstReference(
      { faults: ["feed-ids-unknown"] },
      {
        patterns: ["routes.*", "resources.feed"],
        readOnly,
        patienceMs: 200,
        // Only changes in the feed are known.
        profile: { operations: { readChange: { changeId: null } } },
      },
    );
    expect(rulesWith(ran.results, "fail")).toEqual(["resources.feed"]);
  },
);
