import { expect, test } from "vitest";

import { reportFrom, reportJson } from "../../src/report/json.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { drawnOneIn } from "../proof/selection.ts";
import { type Ran, rulesWith, runAgainstReference } from "../support/run-against.ts";
import { readBack, told } from "../verify/reports.ts";

function judgedWith(...faults: readonly string[]): Promise<Ran> {
  return runAgainstReference(
    { faults },
    { patterns: ["receiver.{token-required,issuer,scope,binding,isolation}"], patienceMs: 200 },
  );
}

function blamed({ results }: Ran): string[] {
  const ofCrossing = results.filter(({ code }) => code === "beside-others");
  expect(new Set(ofCrossing.map(({ blamedOn }) => blamedOn))).toEqual(
    new Set(["receiver.isolation"]),
  );
  return [...new Set(ofCrossing.map(({ rule }) => rule))];
}

test.concurrent.for(drawnOneIn(2, ["user-kept-in-a-variable", "user-kept-for-connection"]))(
  "%s fails isolation alone, and what others found beside it is blamed on it",
  async (fault) => {
    const ran = await judgedWith(fault);
    expect(rulesWith(ran.results, "fail", "warn")).toEqual(["receiver.isolation"]);
    expect(blamed(ran).length).toBeGreaterThan(0);
    expect(told(await verifyReport(readBack(reportJson(reportFrom(ran.events))), RULES))).toEqual(
      [],
    );
  },
);

test.concurrent("a violation that shows alone too stays its own rule's", async () => {
  const ran = await judgedWith("user-kept-for-connection", "issuer-unchecked");
  expect(rulesWith(ran.results, "fail").toSorted()).toEqual([
    "receiver.isolation",
    "receiver.issuer",
  ]);
  expect(blamed(ran)).toContain("receiver.token-required");
});
