import { areaOf } from "../../src/contract/ids.ts";
import { OPERATIONS, OPERATION_IDS, type OperationId } from "../../src/contract/operations.ts";
import { together } from "../../src/probe/case-end.ts";
import type { Finding } from "../../src/probe/finding.ts";
import { phrase } from "../../src/probe/phrase.ts";
import type { Probe } from "../../src/probe/probe.ts";
import type { RuleCase } from "../../src/probe/rule-case.ts";
import { defineRule, type Rule } from "../../src/probe/rule.ts";
import type { UniqueValue } from "../../src/probe/unique-value.ts";
import { MOST_WRONGLY_ACCEPTED_OF_A_RULE } from "../../src/probe/write/budget.ts";
import { filledFeed } from "../shared/filled-feed.ts";
import { noCredentials } from "../shared/mutations/credentials.ts";
import { findValue, type Reading, readBack, showsWrites } from "./effects/read-back.ts";
import { writeLagMs } from "./effects/write-delay.ts";
import { checkMutationsOn, placeFor } from "./ways/check-mutations.ts";

/** A rejected write may be carried out by another process, such as the consumer of a queue, and later than accepted ones. */
const LATE_MS = 1000;

export const rule: Rule = defineRule({
  id: "receiver.no-side-effects",
  title: "A rejected write leaves no trace",
  level: "MUST",
  verifies: ["checks.any-failure-rejects", "checks.order"],
  phase: "state",
  cases: () =>
    OPERATION_IDS.filter((id) => OPERATIONS[id].writes).map((operation): RuleCase => ({
      id: `rejected@${operation}`,
      title: "the values of rejected writes, looked for in the organization and in its feed",
      operation,
      // Writes of one operation that were let through do not disturb the search for the other's.
      writes: "beside",
      needs: [`\${unique} in operations.${operation}.body`],
      judge: (probe) => judgeTraces(probe, operation),
    })),
});

async function judgeTraces(probe: Probe, operation: OperationId): Promise<Finding> {
  const { target } = probe;
  const { viewOrganization, readChangesFeed } = target.operations;
  if (!viewOrganization && !readChangesFeed) {
    return {
      kind: "not-applicable",
      reason: phrase`neither the organization nor its feed can be read`,
    };
  }
  const lagMs = await probe.use({ name: "lag", scope: "rule", setup: writeLagMs });
  // An edit hides earlier ones. So each check is failed once more now, when no other edit follows.
  await rejectOnce(probe, operation);
  const rejected = rejectedWrites(probe, operation);
  const lastMs = Math.max(0, ...rejected.map(({ sentMs }) => sentMs));
  await probe.wait(lastMs + Math.max(lagMs, LATE_MS) - performance.now());
  const shows = (readings: readonly Reading[]): boolean =>
    findValue(readings, rejected) !== undefined || showsWrites(probe, readings);
  const [filled, read] = await Promise.allSettled([
    // A submission is visible in the feed, but a feed that is always empty shows nothing.
    operation === "submitChange" && readChangesFeed ? probe.use(filledFeed) : undefined,
    // A replica that shows no accepted write yet cannot tell whether rejected ones took effect.
    lagMs > 0 ? probe.eventually(() => readAll(probe), shows) : readAll(probe),
  ]);
  const readings = resultOf(read);
  const found = findValue(readings, rejected);
  const evidence = { probes: readings.map(({ exchange }) => exchange) };
  if (found) return trace(found.value, found.reading);
  if (rejected.length === 0) {
    return {
      kind: "inconclusive",
      reason: phrase`no write of ${operation} was rejected`,
      evidence,
    };
  }
  if (!showsWrites(probe, readings)) {
    if (operation === "submitChange" && !readChangesFeed) {
      return {
        kind: "not-applicable",
        reason: phrase`the feed is not offered, and the organization does not show submitted changes`,
      };
    }
    const reason = phrase`not even an accepted write is visible in the organization or its feed`;
    return { kind: "inconclusive", reason, evidence };
  }
  resultOf(filled);
  const like = showsWrites(probe, readings, operation) ? "" : ", but neither did accepted ones";
  const reason = phrase`${rejected.length} rejected writes left no trace${like}`;
  return { kind: "pass", reason, evidence };
}

/** @throws CaseEnd or whatever else ended it */
function resultOf<T>(settled: PromiseSettledResult<T>): T {
  if (settled.status === "rejected") throw settled.reason;
  return settled.value;
}

/**
 * Sends one write for each check that fails it. If the deployment carries some out, the last one is
 * visible.
 */
async function rejectOnce(probe: Probe, operation: OperationId): Promise<void> {
  const { target } = probe;
  // If this request has no control, the case ends. The others may need another kind of token.
  await probe.attempt(noCredentials);
  const faults = checkMutationsOn(target, operation);
  // Sends a few at a time, so that which of them are sent depends on earlier answers and not on timing.
  for (let at = 0; at < faults.length; at += MOST_WRONGLY_ACCEPTED_OF_A_RULE) {
    await together(
      faults
        .slice(at, at + MOST_WRONGLY_ACCEPTED_OF_A_RULE)
        .map((fault) => probe.tryAttempt(fault.mutation, placeFor(target, fault))),
    );
  }
}

/**
 * Writes that a rule about the receiver's checks saw rejected. Other rejections are not about tokens.
 */
function rejectedWrites({ seen: { uniqueValues } }: Probe, operation: OperationId): UniqueValue[] {
  return uniqueValues.filter(
    (value) =>
      value.operation === operation &&
      value.isInBody &&
      areaOf(value.caseId) === "receiver" &&
      value.received === "rejected",
  );
}

/** Reads every organization that this run's tokens named, where a rejected write might be. */
async function readAll(probe: Probe): Promise<Reading[]> {
  const { primary, other } = await probe.organizations();
  const { denied, subject } = probe.target;
  const elsewhere = [
    other,
    denied && denied.subject !== subject ? denied.organization : undefined,
  ].filter((id) => id !== undefined && id !== primary);
  const places = [undefined, ...new Set(elsewhere)];
  const readings = await together(places.map((id) => readBack(probe, id)));
  return readings.flat();
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
