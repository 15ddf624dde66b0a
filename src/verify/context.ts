import type { OperationId } from "../contract/operations.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Control } from "../probe/controls/control.ts";
import type { OutgoingRequest } from "../probe/outgoing-request.ts";
import type { UniqueValue } from "../probe/unique-value.ts";
import type { Target } from "../profile/target.ts";
import type { Report, ReportCase } from "../report/report.ts";
import { createMaker, type MadeRequest } from "./compare-request.ts";
import type { PlannedAgain } from "./plan.ts";
import { sharedOfServer, type SharedOfServer } from "./recorded-connection.ts";
import { acceptedTimes, firstControls } from "./recorded-controls.ts";
import { bySender, type Sent, writtenOf } from "./recorded-exchanges.ts";
import { recordedTarget } from "./recorded-target.ts";
import type { Note } from "./verification.ts";
import { type WholeRecord, wholeRecord } from "./whole-record.ts";

/** The data by which cases are judged again. */
export interface ReplayContext extends Sent {
  readonly report: Report;
  /** The report's facts with what good requests show of the profile, and with throwaway keys. */
  readonly target: Target;
  /** Makes a request as the run would have recorded it. */
  readonly made: (sending: OutgoingRequest) => MadeRequest;
  /** The first accepted control of an operation, with a bound or an unbound token, or whichever. */
  readonly firstControl: (operation: OperationId, bound?: boolean) => Control | undefined;
  /** What the recorded writes wrote. */
  readonly written: () => readonly UniqueValue[];
  /** What the cases about the authorization server share. */
  readonly ofServer: SharedOfServer;
  /** The plan that was made again, by the ids of the cases. */
  readonly cases: ReadonlyMap<string, PlannedCase>;
  readonly exchanges: ReadonlyMap<string, Exchange>;
  /** Absent where not every exchange of the run is recorded, with the whole answer. */
  readonly whole: WholeRecord | undefined;
  /** When good requests were accepted, in milliseconds since the epoch. */
  readonly acceptedAt: readonly number[];
}

/** A case of a report, its plan, and where to note what is wrong with it. */
export interface CheckedCase {
  readonly planned: PlannedCase;
  readonly one: ReportCase;
  readonly context: ReplayContext;
  readonly note: Note;
}

/**
 * The data by which the cases of a report are judged again, one after the other: see `replay`.
 * @param hasAll whether the report has every exchange of the run, with the whole answer
 */
export function replayContext(
  report: Report,
  { facts, plan }: PlannedAgain,
  hasAll = false,
): ReplayContext {
  const exchanges = new Map(Object.entries(report.exchanges));
  const senders = bySender(exchanges.values());
  const written = writtenOf(exchanges, facts);
  const target = recordedTarget(facts, exchanges, senders);
  // What a run says openly is no secret where a request presents it.
  const titles = plan.cases.map(({ caseId, testCase }) => [caseId, testCase.title]);
  const openly = JSON.stringify([facts, plan.heads, titles]);
  return {
    report,
    facts,
    target,
    made: createMaker({ ...target, openly }),
    firstControl: firstControls(senders, facts),
    written,
    ofServer: sharedOfServer({ facts, senders }),
    cases: new Map(plan.cases.map((one) => [one.caseId, one])),
    exchanges,
    whole: hasAll ? wholeRecord(exchanges, written) : undefined,
    senders,
    acceptedAt: acceptedTimes(exchanges.values()),
  };
}
