import { OPERATION_IDS, type OperationId, OPERATIONS } from "../../src/contract/operations.ts";
import { Finding } from "../../src/probe/finding.ts";
import { countFact, phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import { defineRule, type Rule, type RuleCase } from "../../src/probe/rule.ts";
import type { UniqueValue } from "../../src/probe/unique-value.ts";
import { filledFeed } from "../shared/submission.ts";
import { nothingChanged, otherChanges } from "./effects/changed-by-rejections.ts";
import { findValue, type Reading, showsWrites } from "./effects/read-back.ts";
import { rejections } from "./effects/rejections.ts";

const WRITES = OPERATION_IDS.filter((id) => OPERATIONS[id].writes);

export const rule: Rule = defineRule({
  id: "receiver.no-side-effects",
  title: "A rejected write leaves no trace",
  level: "MUST",
  verifies: ["checks.any-failure-rejects", "checks.order"],
  phase: "state",
  cases: ({ operations }) => {
    const inapplicable = operations.viewOrganization
      ? undefined
      : "viewOrganization is not offered";
    return [
      ...WRITES.map((operation): RuleCase => ({
        id: `rejected@${operation}`,
        title: "the values of rejected writes, looked for in the organization and in its feed",
        operation,
        // Writes of one operation that were let through do not disturb the search for the other's.
        writes: "beside",
        needs: [`\${unique} in operations.${operation}.body`],
        judge: (probe) => judgeTraces(probe, operation),
      })),
      ...WRITES.map((operation): RuleCase => ({
        id: `unchanged@${operation}`,
        title: "the members of the organization, compared before and after rejected writes",
        operation,
        inapplicable,
        judge: (probe) => nothingChanged(probe, operation),
      })),
      ...WRITES.map((operation): RuleCase => ({
        id: `other-changes@${operation}`,
        title: "what else is not as it was before rejected writes",
        operation,
        level: "OBSERVE",
        inapplicable,
        judge: (probe) => otherChanges(probe, operation),
      })),
    ];
  },
});

async function judgeTraces(probe: Probe, operation: OperationId): Promise<Finding> {
  const { viewOrganization, readChangesFeed } = probe.target.operations;
  if (!viewOrganization && !readChangesFeed) {
    return Finding.notApplicable(phrase`neither the organization nor its feed can be read`);
  }
  const { rejected, after: readings } = await probe.use(rejections(operation));
  const found = findValue(readings, rejected);
  const evidence = { probes: readings.map(({ exchange }) => exchange) };
  if (found) return trace(found.value, found.reading);
  if (rejected.length === 0) {
    return Finding.inconclusive(phrase`no write of ${operation} was rejected`, evidence);
  }
  if (!showsWrites(probe, readings)) {
    if (operation === "submitChange" && !readChangesFeed) {
      const reason = phrase`the feed is not offered, and the organization does not show submitted changes`;
      return Finding.notApplicable(reason);
    }
    const reason = phrase`not even an accepted write is visible in the organization or its feed`;
    return Finding.inconclusive(reason, evidence);
  }
  // A submission is visible in the feed, but a feed that is always empty shows nothing.
  if (operation === "submitChange" && readChangesFeed) await probe.use(filledFeed);
  const like = showsWrites(probe, readings, [operation]) ? "" : ", but neither did accepted ones";
  const reason = phrase`${countFact(rejected.length, "rejected write")} left no trace${like}`;
  return Finding.pass(evidence, reason);
}

function trace({ status, caseId: sender, exchange }: UniqueValue, reading: Reading): Finding {
  return {
    kind: "fail",
    expected: phrase`a rejected write leaves no trace`,
    actual: phrase`what was written in ${sender} and answered ${{ kind: "answer", status }} is in ${reading.where}`,
    evidence: { probes: [exchange, reading.exchange] },
    // No other write has this value, so one reading is proof.
    certainty: "proof",
  };
}
