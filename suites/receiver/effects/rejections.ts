import { areaOf } from "../../../src/contract/ids.ts";
import type { OperationId } from "../../../src/contract/operations.ts";
import { together } from "../../../src/probe/finding.ts";
import type { Attempt, Fixture, Probe } from "../../../src/probe/probe.ts";
import type { UniqueValue } from "../../../src/probe/unique-value.ts";
import { noCredentials } from "../../shared/mutations/credentials.ts";
import { checkMutationsOn, placeFor } from "../ways/check-mutations.ts";
import { findValue, readBack, type Reading, showsWrites } from "./read-back.ts";
import { writeLagMs } from "./write-delay.ts";

/** A rejected write may be carried out by another process, such as the consumer of a queue, and later than accepted ones. */
const LATE_MS = 1000;

/** Writes of one operation that had to be rejected, one for each check, and what good tokens read before and after them. */
export interface Rejections {
  /** The primary organization and its feed. */
  readonly before: readonly Reading[];
  /** The primary organization and its feed, and what other organizations show that the writes named. */
  readonly after: readonly Reading[];
  readonly attempts: readonly Attempt[];
  /** The values that rejected writes of the whole run had. */
  readonly rejected: readonly UniqueValue[];
  /** The milliseconds between the readings. */
  readonly tookMs: number;
}

/** Sends the writes once more when no other edit follows, because an edit hides earlier ones. */
export function rejections(operation: OperationId): Fixture<Rejections> {
  return {
    name: `rejected@${operation}`,
    scope: "rule",
    async setup(probe) {
      const lagMs = await probe.use(lag);
      const before = await probe.use(beforeAll);
      const beganMs = performance.now();
      const attempts = await rejectOnce(probe, operation);
      const rejected = rejectedWrites(probe, operation);
      await waitForEffects(probe, lagMs, Math.max(0, ...rejected.map(({ sentMs }) => sentMs)));
      const shows = (readings: readonly Reading[]): boolean =>
        findValue(readings, rejected) !== undefined || showsWrites(probe, readings);
      // A replica that shows no accepted write yet cannot tell whether rejected ones took effect.
      const after = await (lagMs > 0
        ? probe.eventually(() => readAll(probe), shows)
        : readAll(probe));
      return { before, after, attempts, rejected, tookMs: performance.now() - beganMs };
    },
  };
}

const lag: Fixture<number> = { name: "lag", scope: "rule", setup: writeLagMs };

/** What is read before the rejected writes of both operations, which go side by side. */
const beforeAll: Fixture<Reading[]> = {
  name: "before",
  scope: "rule",
  setup: (probe) => readBack(probe),
};

/** Sends the rejected writes again, and waits until they would have taken effect. */
export async function rejectAgain(probe: Probe, operation: OperationId): Promise<Attempt[]> {
  const attempts = await rejectOnce(probe, operation);
  await waitForEffects(probe, await probe.use(lag), performance.now());
  return attempts;
}

function waitForEffects(probe: Probe, lagMs: number, sentMs: number): Promise<void> {
  return probe.wait(sentMs + Math.max(lagMs, LATE_MS) - performance.now());
}

/** Sends one write for each check that fails it. If some are carried out, the last is visible. */
async function rejectOnce(probe: Probe, operation: OperationId): Promise<Attempt[]> {
  const { target } = probe;
  // If this request has no control, the case ends. The others may need another kind of token.
  const attempts = [await probe.attempt(noCredentials, { operation })];
  const faults = checkMutationsOn(target, operation);
  for (let at = 0; at < faults.length;) {
    const atOnce = probe.beginWrites(operation);
    const results = await together(
      faults
        .slice(at, at + atOnce)
        .map((fault) =>
          probe.tryAttempt(fault.mutation, { ...placeFor(target, fault), operation }),
        ),
    );
    attempts.push(...results.flatMap((one) => ("attempt" in one ? [one.attempt] : [])));
    at += atOnce;
  }
  return attempts;
}

/** Writes that a rule about the checks saw rejected. Other rejections are not about tokens. */
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
