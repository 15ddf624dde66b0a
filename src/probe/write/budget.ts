import type { Level } from "../../contract/levels.ts";
import type { Reply } from "../../http/exchange.ts";
import type { FindingOf } from "../finding.ts";
import { wasLetIn } from "../reception.ts";
import { MOST_ACCEPTED, spent } from "./not-sent.ts";
import { PURPOSES, type WritePurpose } from "./purposes.ts";
import type { UnknownPath } from "./unknown-path.ts";

/** How many of the accepted writes may be ones that a case of a MUST should have had rejected, repetitions included. */
const MOST_WRONGLY_ACCEPTED = 7;
/**
 * How many may be ones of cases of a level below MUST that need not be accepted. These take nothing from cases of a MUST. A
 * violation of a SHOULD is repeated, and one more may be sent by another rule.
 */
const MOST_ACCEPTED_BELOW_MUST = { MUST: 0, SHOULD: 3, OBSERVE: 2 };
/** The first of these leaves fewer than the next ones, so that none lacks it where all of them are rejected. */
const FIRST_BELOW_MUST_LEAVES = 4;
/** Cases of a MUST send so many more good writes about the other organization: edits with a bound token and an unbound one. */
const GOOD_IN_OTHER = { edits: 2, submissions: 1 };
/** How many of these one rule may have, without repetitions. */
const MOST_WRONGLY_ACCEPTED_OF_A_RULE = {
  /** It has failed by then, and other rules need the rest. */
  oneByOne: 2,
  /** In a stage that begins before any such write was accepted: so many cases of a rule go side by side. */
  sideBySide: 3,
  /** In a stage that begins once as many of the operation as `MOST_WRONGLY_ACCEPTED` were rejected and none was accepted. */
  afterRejections: 5,
};

/** A number of writes that must be rejected, in all and of one rule. */
export interface WriteRoom {
  readonly inAll: number;
  readonly ofRule: number;
}

/** What writes that must be rejected may do until a stage of them ends. It is made when the stage begins, so that timing plays no part. */
export interface WriteGrant {
  /** So many may be sent side by side, even if all are accepted. */
  readonly atOnce: WriteRoom;
  /** No more are sent once so many of a MUST were accepted. */
  readonly mayBeAccepted: WriteRoom;
}

/** On whose behalf a write is sent. */
export interface AskedWrite {
  readonly purpose: WritePurpose;
  readonly rule: string;
  readonly level: Level;
  /** The grant of its stage. Default: that of cases that go one after another. */
  readonly grant?: WriteGrant | undefined;
  /** What is answered to an unknown path. Set if the request is not exactly a route of the contract. */
  readonly unknownPath?: UnknownPath | undefined;
  /** The text in its body that no other request has. Absent where it has none. */
  readonly unique?: string | undefined;
}

/** The answer to an accepted good write. */
interface GoodAnswer {
  readonly status: number | undefined;
  readonly body: string;
  /** Whether it shows what was written. */
  readonly shows: boolean;
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
  beginStage(level: Level): WriteGrant;
  /** The finding of a case of a level whose write was not sent. Default: MUST. */
  reached(level?: Level): FindingOf<"inconclusive">;
}

/** What may be accepted while cases go one after another. */
const ONE_BY_ONE: WriteRoom = {
  inAll: MOST_WRONGLY_ACCEPTED,
  ofRule: MOST_WRONGLY_ACCEPTED_OF_A_RULE.oneByOne,
};

/** What is known of the writes of an operation before the first one. */
export interface Writing {
  /** Whether a last write restores what was written. Default: it does. */
  readonly isRestored?: boolean;
  /** How many may be accepted. Default: 19, so that a run has fewer than twenty. */
  readonly most?: number | undefined;
  /** Whether the deployment offers no read, which could stand for a write. Default: it offers one. */
  readonly isAlone?: boolean;
  /** Whether cases write about the other organization too. Default: they do not. */
  readonly inOther?: boolean | undefined;
}

/** Creates the budget of one operation. So far, no write was accepted. */
export function createWriteBudget(writing: Writing = {}): WriteBudget {
  const { most: mostOfAll = MOST_ACCEPTED } = writing;
  let accepted = 0;
  /** Writes whose answer was lost: those that had to be accepted, and those that had to be rejected. */
  const lost = { wanted: 0, unwanted: 0 };
  /** How many of the accepted ones a case of a MUST should have had rejected, repetitions included. */
  let wronglyAccepted = 0;
  /** How many of them are requests that are exactly routes of the contract. */
  let wronglyAcceptedOnRoutes = 0;
  /** How many count against each rule: repetitions do not. */
  const wronglyAcceptedOf = new Map<string, number>();
  /** How many of the accepted ones are of cases of each level below MUST and need not have been accepted. */
  const below = { MUST: 0, SHOULD: 0, OBSERVE: 0 };
  const acceptedBelowMust = (): number => below.SHOULD + below.OBSERVE;
  /** How many of these should have been rejected. */
  let wronglyAcceptedBelowMust = 0;
  /** Whether the write that many rules look for was accepted, so that nothing has to be left to it. */
  let hasNeeded = false;
  /** Writes that had to be rejected, and were. */
  let rejected = 0;
  /** Whether an accepted control was answered with a page. */
  let answersWithPages = false;
  const goodAnswers: GoodAnswer[] = [];
  /** Whether every write that had to be rejected was, of as many as would use up the budget. */
  const hasRejected = (): boolean => wronglyAccepted === 0 && rejected >= MOST_WRONGLY_ACCEPTED;

  /** Writes whose answer was lost and that may have been accepted. A receiver that has rejected all others hardly accepted that one. */
  const lostAccepted = (): number => lost.wanted + (hasRejected() ? 0 : lost.unwanted);

  const mostFor = (asked: Pick<AskedWrite, "purpose" | "level">): number => {
    const isFreed = hasNeeded && PURPOSES[asked.purpose].forNeeded;
    return mostAccepted(asked, writing) + (isFreed && !isBelowMust(asked) ? 1 : 0);
  };
  /** Whatever level had writes accepted, after so many the last one is left. */
  const lastFor = (asked: Pick<AskedWrite, "purpose" | "level">): number =>
    Math.min(mostOfAll, Math.max(mostFor(asked), mostOfAll - 1));

  return {
    get accepted() {
      return accepted;
    },
    note(asked, reply) {
      if (wasLetIn(reply)) {
        if (asked.purpose === "control" && isPage(reply)) answersWithPages = true;
        if (PURPOSES[asked.purpose].mustBeRejected) {
          // The page of an application beside the API, such as one for logging in, or the start page for any unknown path.
          if (isPage(reply) && !answersWithPages) return false;
          const isGood = goodAnswers.some(({ body }) => body === reply.body);
          if (isOfUnknownPath(asked, reply) && !isGood) return false;
          if (isOfAnotherMethod(asked, reply, goodAnswers)) return false;
        } else {
          goodAnswers.push({
            status: reply.status,
            body: reply.body,
            shows: hasWritten(asked, reply),
          });
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
        if (!PURPOSES[asked.purpose].countsAgainstRule) return true;
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
      const row = PURPOSES[asked.purpose];
      const others = [...underWay];
      const inAll = accepted + lostAccepted() + others.length;
      if (inAll >= lastFor(asked)) return true;
      const othersBelow = others.filter(isBelowMust);
      if (isBelowMust(asked)) {
        const { level } = asked;
        const ofLevel = below[level] + othersBelow.filter((one) => one.level === level).length;
        if (ofLevel >= MOST_ACCEPTED_BELOW_MUST[level]) return true;
        const isFirst = acceptedBelowMust() + othersBelow.length === 0;
        const mostOfFirst = isFirst ? mostOfAll - FIRST_BELOW_MUST_LEAVES : 0;
        return inAll >= Math.max(mostFor(asked), mostOfFirst);
      }
      const counted = row.yieldsToAll ? inAll : inAll - acceptedBelowMust() - othersBelow.length;
      if (counted >= mostFor(asked)) return true;
      if (!isWrongIfAccepted(asked)) return false;
      const { mayBeAccepted = ONE_BY_ONE } = asked.grant ?? {};
      const mayBeWrong = others.filter((one) => isWrongIfAccepted(one) && !isBelowMust(one));
      if (wronglyAccepted + mayBeWrong.length >= mayBeAccepted.inAll) return true;
      const { rule } = asked;
      const ofRule = mayBeWrong.filter(
        (other) => PURPOSES[other.purpose].countsAgainstRule && other.rule === rule,
      );
      const known = wronglyAcceptedOf.get(rule) ?? 0;
      return row.countsAgainstRule && known + ofRule.length >= mayBeAccepted.ofRule;
    },
    beginStage(level) {
      const purpose = "unwanted";
      const inAll = accepted + lostAccepted();
      if (isBelowMust({ purpose, level })) {
        const left = Math.min(
          mostFor({ purpose, level }) - inAll,
          MOST_ACCEPTED_BELOW_MUST[level] - below[level],
        );
        return { atOnce: { inAll: left, ofRule: left }, mayBeAccepted: ONE_BY_ONE };
      }
      if (wronglyAccepted > 0) {
        // Each further accepted write leaves less room for the next one, so they go one by one.
        const atOnce = { inAll: Math.min(1, MOST_WRONGLY_ACCEPTED - wronglyAccepted), ofRule: 1 };
        return { atOnce, mayBeAccepted: ONE_BY_ONE };
      }
      // The last of all is for the control that follows.
      const left =
        Math.min(mostFor({ purpose, level }) + acceptedBelowMust(), lastFor({ purpose, level })) -
        inAll;
      const { sideBySide, afterRejections } = MOST_WRONGLY_ACCEPTED_OF_A_RULE;
      // A receiver that rejected that many hardly accepts all of the next ones, but the budget allows for it.
      const mayBeAccepted = hasRejected()
        ? { inAll: Math.max(left, MOST_WRONGLY_ACCEPTED), ofRule: afterRejections }
        : { inAll: MOST_WRONGLY_ACCEPTED, ofRule: sideBySide };
      return {
        atOnce: { ...mayBeAccepted, inAll: Math.min(left, mayBeAccepted.inAll) },
        mayBeAccepted,
      };
    },
    reached(level = "MUST") {
      const isLeft = wronglyAcceptedBelowMust > 0 && wronglyAccepted === 0;
      if (level !== "MUST" && (isLeft || below[level] >= MOST_ACCEPTED_BELOW_MUST[level]))
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

/**
 * Whether a request that is not exactly a route was answered as no write is, such as a PATCH that a header turns into a GET: it has
 * another status, or does not show what it would have written although every good write does.
 */
function isOfAnotherMethod(
  asked: AskedWrite,
  reply: Reply,
  goodAnswers: readonly GoodAnswer[],
): boolean {
  if (!asked.unknownPath || goodAnswers.length === 0) return false;
  if (goodAnswers.every(({ status }) => status !== reply.status)) return true;
  return (
    reply.hasBody &&
    asked.unique !== undefined &&
    goodAnswers.every(({ shows }) => shows) &&
    !hasWritten(asked, reply)
  );
}

function hasWritten({ unique }: AskedWrite, { body }: Reply): boolean {
  return unique !== undefined && body.includes(unique);
}

/** After so many accepted writes of the operation, one with this purpose is not sent. */
function mostAccepted(
  { purpose, level }: Pick<AskedWrite, "purpose" | "level">,
  { isRestored = true, isAlone = false, inOther = false, most = MOST_ACCEPTED }: Writing,
): number {
  const { leaves, leavesBelowMust, forRestoring } = PURPOSES[purpose];
  const belowMust = leavesBelowMust?.[isAlone ? "withoutReads" : "withReads"];
  const left = level === "MUST" ? leaves : (belowMust?.[level] ?? leaves);
  // Where no read stands for a write, the one that restores is for cases of a MUST.
  const isFree = !isRestored && !(isAlone && level !== "MUST") && forRestoring;
  const isForOther = inOther && level !== "MUST" && leavesBelowMust !== undefined;
  const forOther = isForOther ? GOOD_IN_OTHER[isRestored ? "edits" : "submissions"] : 0;
  return most - left - forOther + (isFree ? 1 : 0);
}

/** Whether it is wrong to accept the write. What a case only observes may well be accepted. */
function isWrongIfAccepted({ purpose, level }: AskedWrite): boolean {
  return PURPOSES[purpose].mustBeRejected && level !== "OBSERVE";
}

/** Whether a case below MUST sends it, and it need not be accepted. */
function isBelowMust({ purpose, level }: Pick<AskedWrite, "purpose" | "level">): boolean {
  return PURPOSES[purpose].mustBeRejected && level !== "MUST";
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
