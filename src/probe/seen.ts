import type { ReceiverCheck } from "../contract/checks.ts";
import type { OperationId } from "../contract/operations.ts";
import type { Target } from "../profile/target.ts";
import { createAnswerStatistics, type Statistic } from "./answer-statistics.ts";
import { createFirstUses, type FirstUses } from "./controls/first-use.ts";
import { createMoments, type Moments } from "./controls/moments.ts";
import { createErrorLog, type ErrorAnswer } from "./errors/error-record.ts";
import { createRejectedLog, type RejectedLog } from "./errors/rejected-log.ts";
import { createDocumentLog, type DocumentLog } from "./openapi/document-log.ts";
import type { Observe } from "./outgoing-request.ts";
import { reception } from "./reception.ts";
import { createSentLog, type SentRequest } from "./sent-log.ts";
import { createPauses, type Pauses } from "./trouble/kept-refusals.ts";
import type { Trouble } from "./trouble/trouble.ts";
import { createUniqueValues, type UniqueValue } from "./unique-value.ts";

/** What a run has seen so far. */
export interface Seen {
  /**
   * Every 4xx and 5xx answer to an ordinary request that requires an Error body, sorted by exchange. Answers of a moment in which good
   * requests were refused in the same way are left out.
   */
  readonly errors: readonly ErrorAnswer[];
  readonly rejected: RejectedLog;
  /** Whether a request of an operation with a mutation of this name was answered 2xx. */
  wasAccepted(operation: OperationId, mutation: string): boolean;
  readonly documentLog: DocumentLog;
  readonly uniqueValues: readonly UniqueValue[];
  /** What deployments do where the contract is silent. */
  readonly statistics: () => readonly Statistic[];
  readonly moments: Moments;
  /** What the cases of the phase `trouble` have recognised so far. */
  readonly trouble: Trouble;
  readonly pauses: Pauses;
  readonly firstUses: FirstUses;
  /** The statuses that rejected requests that fail a receiver check. */
  readonly rejections: { readonly check: ReceiverCheck; readonly status: number }[];
  /** Every answered request, by the id of its exchange. */
  readonly sent: ReadonlyMap<string, SentRequest>;
}

/** Observes a run, and compares answers where `SessionOptions.compares` says so. */
export function createSeen(target: Target, observe: Observe, compares = false): Seen {
  const trouble: Trouble = {};
  const moments = createMoments(observe, trouble);
  const errors = createErrorLog(observe, moments);
  /** The names of mutations, with the operation. */
  const accepted = new Set<string>();
  observe(({ reply, sending, ordinary }) => {
    if (ordinary !== undefined && reception(reply) === "accepted") {
      accepted.add(`${ordinary} ${sending.tokenNote?.mutation}`);
    }
  });
  return {
    get errors() {
      return errors();
    },
    rejected: createRejectedLog(observe),
    wasAccepted: (operation, mutation) => accepted.has(`${operation} ${mutation}`),
    documentLog: createDocumentLog(compares ? target.document : undefined, observe),
    uniqueValues: createUniqueValues(target, observe),
    statistics: createAnswerStatistics(observe),
    moments,
    trouble,
    pauses: createPauses(observe),
    firstUses: createFirstUses(observe),
    rejections: [],
    sent: createSentLog(observe),
  };
}
