import { expect, test } from "vitest";

import { complaint, prove } from "../../src/proof/prove.ts";
import { FAULTS } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";

test.concurrent.for([
  ["receiver.issuer", "receiver.audience"],
  ["pagination.totals", "pagination.*"],
] as const)(
  "without the rule %s, the proof reports its fault as missed, whatever %s says",
  async ([removed, others]) => {
    const rest = RULES.filter(({ id }) => id !== removed);
    const fault = FAULTS.find(({ rule }) => rule === removed);
    const proof = await prove({ kind: "fault", name: fault?.name ?? "" }, [others], rest);
    expect(proof.held.length).toBeGreaterThan(5);
    expect(complaint(proof)).toMatch(new RegExp(`^missed by ${removed}; `));
  },
);
