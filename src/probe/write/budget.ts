import type { Level } from "../../contract/levels.ts";
import type { Reply } from "../../http/exchange.ts";
import { Finding, type FindingOf } from "../finding.ts";
import { type Phrase, phrase } from "../phrase.ts";
import { wasLetIn } from "../reception.ts";
import type { UnknownPath } from "./unknown-path.ts";

/**
 * Why a write is sent. `needed` writes are the ones that many rules look for afterwards, and `further` ones come on top of
 * these and of the `wanted` ones, which must be accepted too. `unwanted` ones must be rejected. So must `confirming` ones, which
 * repeat them and do not count against their rule, and `late` ones, after which the run makes no edits of its own.
 */
export type WritePurpose =
  | "control"
  | "needed"
  | "further"
  | "wanted"
  | "unwanted"
  | "confirming"
  | "late";

/** A run has fewer than twenty accepted writes of an operation. */
export const MOST_ACCEPTED = 19;
/**
 * How many of these a purpose leaves to others. One is for the write that restores what was edited, one for the control that
 * follows, one for the edit that many rules look for, and the rest for writes that must be rejected and are not.
 */
const LEAVES: Readonly<Record<WritePurpose, number>> = {
  control: 0,
  late: 1,
  needed: 2,
  confirming: 3,
  unwanted: 3,
  further: 4,
  wanted: 6,
};
/** The same for `unwanted` writes below MUST: the verdict needs what is left for the errors of the phase `record`. */
const LEAVES_BELOW_MUST = { SHOULD: 4, OBSERVE: 4 };
/** The same where no read can stand for a write: cases of a MUST then need more good writes. */
const LEAVES_BELOW_MUST_ALONE = { SHOULD: 5, OBSERVE: 6 };
/** Purposes that count on a last write that restores. */
const BEFORE_RESTORING: ReadonlySet<WritePurpose> = new Set(["needed", "confirming", "unwanted"]);
/** How many of the accepted writes may be ones that a case of a MUST should have had rejected, repetitions included. */
const MOST_WRONGLY_ACCEPTED = 7;
/**
 * How many may be ones of cases of a level below MUST that need not be accepted. These take nothing from cases of a MUST. A
 * violation of a SHOULD is repeated, and one more may be sent by another rule.
 */
const MOST_ACCEPTED_BELOW_MUST = { MUST: 0, SHOULD: 3, OBSERVE: 2 };
/** How many of these one rule may have, without repetitions. It has failed by then, and other rules need the rest. */
export const MOST_WRONGLY_ACCEPTED_OF_A_RULE = 2;
/** The same for a stage that begins before any such write was accepted: so many cases of a rule go side by side. */
const MOST_WRONGLY_ACCEPTED_OF_A_RULE_AT_ONCE = 3;
/** The same once as many of the operation as `MOST_WRONGLY_ACCEPTED` were rejected and none was accepted. */
const MOST_WRONGLY_ACCEPTED_OF_A_RULE_AFTER_REJECTIONS = 5;

/** Why a write is not sent any more. */
type Limit = "wrong" | "good" | "lost" | "beside routes" | "left to MUST";

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

function spent(limit: Limit, most = MOST_ACCEPTED): FindingOf<"inconclusive"> {
  return Finding.undecided("write-limit", REASONS[limit](String(most)));
}

/** The finding of a case whose write is not sent, because too many were accepted that should not, or may have been. */
export const WRITE_LIMIT_REACHED: FindingOf<"inconclusive"> = spent("wrong");

/** Whether a case ends because its write was not sent. */
export function isWriteLimit(finding: Finding): boolean {
  return finding.kind === "inconclusive" && finding.code === "write-limit";
}

/** How many writes that must be rejected may be sent side by side, in all and by one rule. */
export interface WriteRoom {
  readonly inAll: number;
  readonly ofRule: number;
}

/** On whose behalf a write is sent. */
export interface AskedWrite {
  readonly purpose: WritePurpose;
  readonly rule: string;
  readonly level: Level;
  /** What is answered to an unknown path. Set if the request is not exactly a route of the contract. */
  readonly unknownPath?: UnknownPath | undefined;
}

/** The accepted writes of one operation so far, and which ones may still be sent. It knows answers, and nothing of time. */
export interface WriteBudget {
  /** Accepted writes so far. */
  readonly accepted: number;
  /** Notes the answer to a write. Returns whether it counts as accepted. */
  note(asked: AskedWrite, reply: Reply): boolean;
  /** Whether a write is not to be sent any more. Those under way count as accepted. */
  isSpentFor(asked: AskedWrite, underWay?: Iterable<AskedWrite>): boolean;
  /** See `WriteLimit.beginStage`. */
  beginStage(level: Level): WriteRoom;
  /** The finding of a case of a level whose write was not sent. Default: MUST. */
  reached(level?: Level): FindingOf<"inconclusive">;
}

/** What may be accepted while cases go one after another. */
const ONE_BY_ONE: WriteRoom = {
  inAll: MOST_WRONGLY_ACCEPTED,
  ofRule: MOST_WRONGLY_ACCEPTED_OF_A_RULE,
};

/** What is known of the writes of an operation before the first one. */
export interface Writing {
  /** Whether a last write restores what was written. Default: it does. */
  readonly isRestored?: boolean;
  /** How many may be accepted. Default: 19, so that a run has fewer than twenty. */
  readonly most?: number | undefined;
  /** Whether the deployment offers no read, which could stand for a write. Default: it offers one. */
  readonly isAlone?: boolean;
}

/** Creates the budget of one operation. So far, no write was accepted. */
export function createWriteBudget(writing: Writing = {}): WriteBudget {
  const { most: mostOfAll = MOST_ACCEPTED } = writing;
  let accepted = 0;
  /** Writes whose answer was lost: those that had to be accepted, and those that had to be rejected. */
  const lost = { wanted: 0, unwanted: 0 };
  /** How many of the accepted ones a case of a MUST should have had rejected, repetitions included. */
  let wronglyAccepted = 0;
  /** How many of the accepted ones are of cases of each level below MUST and need not have been accepted. */
  const below = { MUST: 0, SHOULD: 0, OBSERVE: 0 };
  const acceptedBelowMust = (): number => below.SHOULD + below.OBSERVE;
  /** How many of these should have been rejected. */
  let wronglyAcceptedBelowMust = 0;
  /** The same of requests that are exactly routes of the contract. */
  let wronglyAcceptedOnRoutes = 0;
  /** The same without repetitions, by rule. */
  const wronglyAcceptedOf = new Map<string, number>();
  /** Whether the write that many rules look for was accepted, so that nothing has to be left to it. */
  let hasNeeded = false;
  /** Writes that had to be rejected, and were. */
  let rejected = 0;
  /** Whether an accepted control was answered with a page. */
  let answersWithPages = false;
  /** The bodies of the answers to accepted good writes. */
  const goodAnswers = new Set<string>();
  /**
   * How many that should have been rejected may be accepted until the end of this stage, in all and of one rule. Set when
   * the stage begins, so that timing does not matter.
   */
  let most = ONE_BY_ONE;

  /** Whether every write that had to be rejected was, of as many as would use up the budget. */
  const hasRejected = (): boolean => wronglyAccepted === 0 && rejected >= MOST_WRONGLY_ACCEPTED;

  /** Writes whose answer was lost and that may have been accepted. A receiver that has rejected all others hardly accepted that one. */
  const lostAccepted = (): number => lost.wanted + (hasRejected() ? 0 : lost.unwanted);

  const mostFor = (asked: Pick<AskedWrite, "purpose" | "level">): number => {
    const isFreed = hasNeeded && (asked.purpose === "unwanted" || asked.purpose === "confirming");
    return mostAccepted(asked, writing) + (isFreed && !isBelowMust(asked) ? 1 : 0);
  };

  return {
    get accepted() {
      return accepted;
    },
    note(asked, reply) {
      if (wasLetIn(reply)) {
        if (asked.purpose === "control" && isPage(reply)) answersWithPages = true;
        if (mustBeRejected(asked.purpose)) {
          // The page of an application beside the API, such as one for logging in, or the start page for any unknown path.
          if (isPage(reply) && !answersWithPages) return false;
          if (isOfUnknownPath(asked, reply) && !goodAnswers.has(reply.body)) return false;
        } else {
          goodAnswers.add(reply.body);
        }
        accepted += 1;
        if (asked.purpose === "needed") hasNeeded = true;
        if (isBelowMust(asked)) below[asked.level] += 1;
        if (!isWrongIfAccepted(asked)) return true;
        if (isBelowMust(asked)) {
          wronglyAcceptedBelowMust += 1;
          return true;
        }
        wronglyAccepted += 1;
        if (!asked.unknownPath) wronglyAcceptedOnRoutes += 1;
        if (asked.purpose !== "unwanted") return true;
        wronglyAcceptedOf.set(asked.rule, (wronglyAcceptedOf.get(asked.rule) ?? 0) + 1);
        return true;
      }
      if (mayHaveBeenAccepted(reply)) {
        lost[isWrongIfAccepted(asked) ? "unwanted" : "wanted"] += 1;
      } else if (isWrongIfAccepted(asked)) {
        rejected += 1;
      }
      return false;
    },
    isSpentFor(asked, underWay = []) {
      const others = [...underWay];
      const inAll = accepted + lostAccepted() + others.length;
      if (inAll >= mostOfAll - Math.min(1, LEAVES[asked.purpose])) return true;
      const othersBelow = others.filter(isBelowMust);
      if (isBelowMust(asked)) {
        const { level } = asked;
        const ofLevel = below[level] + othersBelow.filter((one) => one.level === level).length;
        return ofLevel >= MOST_ACCEPTED_BELOW_MUST[level] || inAll >= mostFor(asked);
      }
      // A case that makes further good writes can do with fewer.
      const counted =
        asked.purpose === "further" ? inAll : inAll - acceptedBelowMust() - othersBelow.length;
      if (counted >= mostFor(asked)) return true;
      if (!isWrongIfAccepted(asked)) return false;
      const mayBeWrong = others.filter((one) => isWrongIfAccepted(one) && !isBelowMust(one));
      if (wronglyAccepted + mayBeWrong.length >= most.inAll) return true;
      const { purpose, rule } = asked;
      const ofRule = mayBeWrong.filter(
        (other) => other.purpose === "unwanted" && other.rule === rule,
      );
      const known = wronglyAcceptedOf.get(rule) ?? 0;
      return purpose === "unwanted" && known + ofRule.length >= most.ofRule;
    },
    beginStage(level) {
      const purpose = "unwanted";
      const inAll = accepted + lostAccepted();
      if (isBelowMust({ purpose, level })) {
        const left = Math.min(
          mostFor({ purpose, level }) - inAll,
          MOST_ACCEPTED_BELOW_MUST[level] - below[level],
        );
        return { inAll: left, ofRule: left };
      }
      if (wronglyAccepted > 0) {
        // Each further accepted write leaves less room for the next one, so they go one by one.
        most = ONE_BY_ONE;
        return { inAll: Math.min(1, MOST_WRONGLY_ACCEPTED - wronglyAccepted), ofRule: 1 };
      }
      // The last of all is for the control that follows.
      const left =
        Math.min(
          mostFor({ purpose, level }) + acceptedBelowMust(),
          mostOfAll - Math.min(1, LEAVES[purpose]),
        ) - inAll;
      // A receiver that rejected that many hardly accepts all of the next ones, but the budget allows for it.
      most = {
        inAll: hasRejected() ? Math.max(left, MOST_WRONGLY_ACCEPTED) : MOST_WRONGLY_ACCEPTED,
        ofRule: hasRejected()
          ? MOST_WRONGLY_ACCEPTED_OF_A_RULE_AFTER_REJECTIONS
          : MOST_WRONGLY_ACCEPTED_OF_A_RULE_AT_ONCE,
      };
      return { ...most, inAll: Math.min(left, most.inAll) };
    },
    reached(level = "MUST") {
      if (level !== "MUST" && below[level] >= MOST_ACCEPTED_BELOW_MUST[level])
        return spent("left to MUST", mostOfAll);
      const wrong = wronglyAccepted + wronglyAcceptedBelowMust;
      if (wrong === 0) {
        return spent(lost.wanted + lost.unwanted === 0 ? "good" : "lost", mostOfAll);
      }
      const isBesideRoutes =
        wronglyAcceptedOnRoutes + wronglyAcceptedBelowMust + lostAccepted() === 0;
      return spent(isBesideRoutes ? "beside routes" : "wrong", mostOfAll);
    },
  };
}

/** Whether a request that is not exactly a route got the answer to an unknown path, so that it wrote nothing. */
function isOfUnknownPath({ unknownPath }: AskedWrite, reply: Reply): boolean {
  return reply.hasBody && reply.body === unknownPath?.body;
}

function mostAccepted(
  { purpose, level }: Pick<AskedWrite, "purpose" | "level">,
  { isRestored = true, isAlone = false, most = MOST_ACCEPTED }: Writing,
): number {
  const belowMust = isAlone ? LEAVES_BELOW_MUST_ALONE : LEAVES_BELOW_MUST;
  const leaves = purpose === "unwanted" && level !== "MUST" ? belowMust[level] : LEAVES[purpose];
  // Where no read stands for a write, the one that restores is for cases of a MUST.
  const isFree = !isRestored && !(isAlone && level !== "MUST") && BEFORE_RESTORING.has(purpose);
  return most - leaves + (isFree ? 1 : 0);
}

/** Whether it is wrong to accept the write. What a case only observes may well be accepted. */
function isWrongIfAccepted({ purpose, level }: AskedWrite): boolean {
  return mustBeRejected(purpose) && level !== "OBSERVE";
}

/** Whether a case below MUST sends it, and it need not be accepted. */
function isBelowMust({ purpose, level }: Pick<AskedWrite, "purpose" | "level">): boolean {
  return mustBeRejected(purpose) && level !== "MUST";
}

/** Whether a write for this purpose must be rejected. */
export function mustBeRejected(purpose: WritePurpose): boolean {
  return purpose === "unwanted" || purpose === "confirming" || purpose === "late";
}

/** Whether an answer is a page for a browser. */
export function isPage({ headers }: Pick<Reply, "headers">): boolean {
  return /^\s*(?:text\/html|application\/xhtml\+xml)\b/i.test(headers["content-type"] ?? "");
}

/** Whether a write that has no answer, or one of a gateway, may have been carried out all the same. */
function mayHaveBeenAccepted({ status, spent: isRepeated, exchange }: Reply): boolean {
  const { fault } = exchange;
  if (isRepeated) return false;
  if (fault?.status !== undefined) return false;
  if (fault) return fault.kind !== "unreachable" && fault.kind !== "tls";
  return status === 502 || status === 504;
}
