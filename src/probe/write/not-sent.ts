import { Finding, type FindingOf } from "../finding.ts";
import { type Phrase, phrase } from "../phrase.ts";

/** A run has fewer than twenty accepted writes of an operation. */
export const MOST_ACCEPTED = 19;

/** Why a write is not sent any more. */
export type Limit = "wrong" | "good" | "lost" | "beside routes" | "left to MUST";

/** The reason of a case whose write is not sent. */
const REASONS: Readonly<Record<Limit, (most: string) => Phrase>> = {
  wrong: (most) =>
    phrase`not sent: the limit of ${most} accepted writes of each operation was reached, because the deployment accepted requests that it has to refuse, or answers to writes were lost. Fix that, then run again`,
  // A further run has writes of its own.
  good: (most) =>
    phrase`not sent: the limit of ${most} accepted writes of each operation was reached by good requests that other cases need. Nothing has to be fixed. To judge such cases, name up to ten of them with \`run --rule <id>\``,
  lost: (most) =>
    phrase`not sent: the limit of ${most} accepted writes of each operation was reached, because answers to writes were lost, and each may have been carried out. Find out why connections were lost, then run again`,
  "beside routes": (most) =>
    phrase`not sent: the limit of ${most} accepted writes of each operation was reached, because requests that are not exactly a route of the contract were answered with 2xx and may have written. A path with a slash at its end is such a request. Answer it with 404, then run again`,
  "left to MUST": (most) =>
    phrase`not sent: some writes of cases of this level, which is no MUST, were accepted already, and what is left of the ${most} accepted writes of each operation is for cases of a MUST. To judge such cases, name up to two of them with \`run --rule <id>\``,
};

/**
 * The finding of a case whose write is not sent.
 * @param most accepted writes of the operation
 */
export function spent(limit: Limit, most: number = MOST_ACCEPTED): FindingOf<"inconclusive"> {
  return Finding.undecided("write-limit", REASONS[limit](String(most)));
}

/** The finding of a case whose write is not sent, because too many were accepted that should not, or may have been. */
export const WRITE_LIMIT_REACHED: FindingOf<"inconclusive"> = spent("wrong");

/** Whether a case ends because its write was not sent. */
export function isWriteLimit(finding: Finding): boolean {
  return finding.kind === "inconclusive" && finding.code === "write-limit";
}
