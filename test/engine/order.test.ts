import { expect, test } from "vitest";

import type { OperationId } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { BAD, refusing, runTiny } from "./tiny.ts";

const WAYS = [BAD, { ...BAD, name: "worse" }];
const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed"];
const ruleOf = (id: string, level: "MUST" | "OBSERVE") =>
  refusing(READS, { id, level, cases: () => casesOn(READS, WAYS) });

test("each way of each MUST rule comes once, the rules in turn, before other operations and observations", async () => {
  const rules = [
    ruleOf("tiny.observed", "OBSERVE"),
    ruleOf("tiny.first", "MUST"),
    ruleOf("tiny.second", "MUST"),
  ];
  const { calls } = await runTiny(rules, { concurrency: 1 });
  const sent = calls.filter(({ isBad }) => isBad).map(({ caseId }) => caseId);
  expect(sent.slice(0, 4)).toEqual([
    "tiny.first/bad@viewOrganization",
    "tiny.second/bad@viewOrganization",
    "tiny.first/worse@viewOrganization",
    "tiny.second/worse@viewOrganization",
  ]);
  expect(sent).toHaveLength(12);
});
