import { expect, test } from "vitest";

import { drawnOneIn } from "../proof/selection.ts";
import { rulesWith, runAgainstReference } from "../support/run-against.ts";

const UNGUARDED = [
  ["quoted-charset-unguarded", "media-type@submitChange"],
  ["no-op-edit-unguarded", "equal-value@editOrganization"],
  ["bodiless-edit-unguarded", "without-body@editOrganization"],
] as const;

// `npm run proof` shows of each that no other rule fails.
test.each(drawnOneIn(3, UNGUARDED))(
  "of a whole run, %s fails receiver.token-required alone",
  async (fault, way) => {
    const { results } = await runAgainstReference({ faults: [fault] });
    expect(rulesWith(results, "fail", "warn")).toEqual(["receiver.token-required"]);
    const scope = results.find(({ id }) => id === `receiver.scope/all-others-${way}`);
    expect(scope).toMatchObject({
      outcome: "inconclusive",
      blamedOn: "receiver.token-required",
      reason: expect.stringContaining("proves nothing: receiver.token-required already failed"),
    });
    // Its write was left to others.
    expect(scope?.evidence).toBeUndefined();
  },
);
