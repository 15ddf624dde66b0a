import { expect, test } from "vitest";

import { ruleOfCase } from "../../src/contract/ids.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { BAD, refusing, runTiny } from "./tiny.ts";

const WAYS = ["one", "two", "three", "four"].map((name) => ({ ...BAD, name }));
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
  expect(sent).toHaveLength(24);
  const round = ["tiny.first", "tiny.second"].flatMap((rule) =>
    WAYS.map(({ name }) => `${rule}/${name}@viewOrganization`),
  );
  // Two cases run at once, so one may be sent before another that began earlier.
  expect(sent.slice(0, 7).filter((caseId) => !round.includes(caseId))).toEqual([]);
  expect(round.filter((caseId) => !sent.slice(0, 10).includes(caseId))).toEqual([]);
  expect(new Set(sent.slice(0, 4).map(ruleOfCase)).size).toBe(2);
});
