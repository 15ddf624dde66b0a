import { expect, test } from "vitest";

import { ruleOfCase } from "../../src/contract/ids.ts";
import type { OperationId } from "../../src/contract/operations.ts";
import { casesOn } from "../../src/probe/cases.ts";
import { BAD, refusing, runTiny } from "./tiny.ts";

const WAYS = ["one", "two", "three", "four"].map((name) => ({ ...BAD, name }));
const READS: readonly OperationId[] = ["viewOrganization", "readChangesFeed"];

test("each way of each MUST rule comes once, the rules in turn, before other operations and observations", async () => {
  // Two cases run at once, so one may be sent before another that began earlier.
  const begun: string[] = [];
  const ruleOf = (id: string, level: "MUST" | "OBSERVE") =>
    refusing(READS, {
      id,
      level,
      cases: () => casesOn(READS, WAYS),
      judge(probe, one) {
        begun.push(`${id}/${one.id}`);
        return probe.rejects(WAYS.find(({ name }) => one.id.startsWith(`${name}@`)) ?? BAD);
      },
    });
  const rules = [
    ruleOf("tiny.observed", "OBSERVE"),
    ruleOf("tiny.first", "MUST"),
    ruleOf("tiny.second", "MUST"),
  ];
  await runTiny(rules, { concurrency: 1 });
  expect(begun).toHaveLength(24);
  const first = begun.slice(0, 8);
  expect(first.toSorted()).toEqual(
    ["tiny.first", "tiny.second"]
      .flatMap((rule) => WAYS.map(({ name }) => `${rule}/${name}@viewOrganization`))
      .toSorted(),
  );
  expect(first.map(ruleOfCase)).toEqual(WAYS.flatMap(() => ["tiny.first", "tiny.second"]));
});
