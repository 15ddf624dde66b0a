import { describe, expect, test } from "vitest";

import { complaint, proveCaught } from "../../src/proof/prove.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { firstOfEach } from "./selection.ts";

// That no other rule sees them is proven by `npm run proof`, and in blamed.test.ts for the last fault of some rules.
describe("each rule catches its first fault", () => {
  const tried = firstOfEach(FAULTS, ({ rule }) => rule);
  test.concurrent.for(tried.map((fault) => [fault.name, fault] as const))(
    "%s",
    async ([name, { rule }]) => {
      expect(complaint(await proveCaught({ kind: "fault", name }, rule))).toBeUndefined();
    },
  );
});
