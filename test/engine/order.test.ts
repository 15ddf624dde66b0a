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
  const first = sent.slice(0, 8);
  expect(first.toSorted()).toEqual(
    ["tiny.first", "tiny.second"]
      .flatMap((rule) => WAYS.map(({ name }) => `${rule}/${name}@viewOrganization`))
      .toSorted(),
  );
  // Two cases run at once, so either may be sent before the other one.
  expect(new Set(first.slice(0, 4).map(ruleOfCase)).size).toBe(2);
});
