import { expect, test } from "vitest";

import { withoutClient } from "../../src/engine/conclusion/signatures.ts";
import { planRun } from "../../src/engine/plan.ts";
import { estimateRequests, readRequests } from "../../src/engine/requests.ts";
import { profileFromObject } from "../../src/profile/load.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { JWKS } from "../../src/proof/seed.ts";
import { startReference } from "../../src/reference/index.ts";
import { RULES } from "../../suites/index.ts";
import { PACKS } from "../../suites/packs.ts";

test("fixtures/requests.json names cases of today alone, and a plan is counted from it; `npm run proof -- --requests` writes it", async () => {
  const receiver = await startReference({ jwks: JWKS, authorizationServer: true });
  try {
    const target = resolveTarget({ profile: profileFromObject(receiver.profile) });
    const plans = [RULES, ...PACKS.map(({ rules }) => rules)].map((rules) =>
      planRun(target, rules, []),
    );
    const planned = new Set(
      plans.flatMap(({ cases }) => cases.map(({ caseId }) => withoutClient(caseId))),
    );
    const record = readRequests();
    expect(Object.keys(record.cases).filter((id) => !planned.has(id))).toEqual([]);
    const counts = plans.map((plan) =>
      estimateRequests(plan, record).reduce((sum, { count }) => sum + count, 0),
    );
    expect(counts[0]).toBeGreaterThan(1500);
    expect(counts[0]).toBeLessThan(3000);
  } finally {
    await receiver.close();
  }
});
