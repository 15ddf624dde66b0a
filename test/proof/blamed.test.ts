import { expect, test } from "vitest";

import { complaint, prove } from "../../src/proof/prove.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { oneIn } from "./selection.ts";

/** The last fault of each rule: the first ones are the plainest. */
const lastOfEach = RULES.map(({ id }) => [id, FAULTS.findLast(({ rule }) => rule === id)] as const);

test.concurrent.for(oneIn(16, lastOfEach))(
  "every rule runs, and only %s detects its fault",
  async ([, fault]) => {
    expect(complaint(await prove({ kind: "fault", name: fault?.name ?? "" }))).toBeUndefined();
  },
);
