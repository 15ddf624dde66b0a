import PQueue from "p-queue";

import type { Level } from "../../contract/levels.ts";
import type { Operation, OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { CONFLICTS } from "../../http/retry.ts";
import type { Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";

/**
 * Why a write is sent. `needed` writes are the ones that many rules look for afterwards, and `further` ones come on top of
 * these and of the `wanted` ones, which must be accepted too. `unwanted` ones must be rejected, and so must `late` ones, after which the run makes no edits of its own.
 */
export type WritePurpose =
  | "control"
  | "needed"
  | "further"
  | "wanted"
  | "unwanted"
  | "confirming"
  | "late";

/**
 * The number of accepted writes of one operation after which no further write for a purpose is sent. A run promises fewer than
 * twenty. The last ones are reserved: one for the edit that many rules look for, two for the controls that follow and for
 * restoring what was edited. Of these, a late write leaves the one that restores.
 */
const MOST_ACCEPTED: Readonly<Record<WritePurpose, number>> = {
  wanted: 13,
  unwanted: 16,
  confirming: 16,
  further: 15,
  needed: 17,
  late: 18,
  control: 19,
};
/** The same for `unwanted` writes, by level. The verdict needs what is left for the errors of the phase `record`. */
const MOST_ACCEPTED_UNWANTED: Readonly<Record<Level, number>> = {
  MUST: MOST_ACCEPTED.unwanted,
  SHOULD: 14,
  OBSERVE: 13,
};
/** How many of these may be writes that should have been rejected, repetitions included. */
const MOST_SURPRISES = 7;
/** How many of these one rule may have, without repetitions. It has failed by then, and other rules need the rest. */
const MOST_SURPRISES_OF_A_RULE = 2;
/** The same for a stage that begins before any such write was accepted: so many cases of a rule go side by side. */
const MOST_SURPRISES_OF_A_RULE_AT_ONCE = 3;
/** The same once as many of the operation as `MOST_SURPRISES` were rejected and none was accepted. */
const MOST_SURPRISES_OF_A_RULE_WHEN_CALM = 5;

/** The finding of a case whose write is not sent, because too many were accepted that should not, or may have been. */
export const WRITE_LIMIT_REACHED: Extract<Finding, { kind: "inconclusive" }> = {
  kind: "inconclusive",
  code: "write-limit",
  reason: phrase`not sent: a run makes fewer than 20 writes of each operation that are accepted or whose answer is lost, and this limit is reached; fix what was wrongly accepted, or what loses answers, then run again to judge this case`,
};

/** The same where the suite's own good requests were that many. A further run has writes of its own. */
const USED_UP_BY_GOOD_WRITES: typeof WRITE_LIMIT_REACHED = {
  kind: "inconclusive",
  code: "write-limit",
  reason: phrase`not sent: a run makes fewer than 20 accepted writes of each operation, and good requests that other cases need have used these up, as they do where no read can stand for a write; nothing has to be fixed: \`run --rule <id>\`, with the ids of up to ten such cases, judges these with writes of its own`,
};

/** How many writes that must be rejected may be sent side by side, in all and by one rule. */
export interface WriteRoom {
  readonly inAll: number;
  readonly ofRule: number;
}

/**
 * Limits the accepted writes of a run. The writes of an operation begin in the order of the calls. Several are under way
 * at once only while each of them would be sent even if all others were accepted. Writes that should be accepted go one
 * after another. So the order and the answers decide which writes are sent, and timing does not.
 */
export interface WriteLimit {
  /**
   * Runs `send`, which may turn out to be an accepted write. A conflict with another write that was under way says
   * nothing about tokens, so the request is then sent once more, alone.
   * @returns `undefined`, without sending, when too many writes were accepted already
   */
  run(
    operation: Operation,
    asked: AskedWrite,
    send: () => Promise<Reply>,
  ): Promise<Reply | undefined>;
  /** The finding of a case whose write of the operation was not sent. */
  reached(id: OperationId): typeof WRITE_LIMIT_REACHED;
  /**
   * Begins a stage of writes that must be rejected, when no other write of the operation is under way.
   * @param level of the cases of the stage
   * @returns how many can be sent side by side, even if all of them are accepted
   */
  beginStage(id: OperationId, level: Level): WriteRoom;
  /** Accepted writes so far, by operation. */
  readonly accepted: ReadonlyMap<OperationId, number>;
}

/** What may be accepted while cases go one after another. */
const ONE_BY_ONE: WriteRoom = { inAll: MOST_SURPRISES, ofRule: MOST_SURPRISES_OF_A_RULE };

/** On whose behalf a write is sent. */
export interface AskedWrite {
  readonly purpose: WritePurpose;
  /** The rule that sends it. */
  readonly rule: string;
  /** The level of the case that sends it. */
  readonly level: Level;
}

/** A write without an answer so far, which may be accepted. */
interface UnderWay extends AskedWrite {
  readonly answer: Promise<Reply>;
  /** Whether another write was under way at the same time. */
  beside: boolean;
}

/** The writes of one operation so far. */
interface Account {
  /** Writes that were accepted, or may have been because their answer was lost. */
  spent: number;
  /** How many of them should have been rejected, repetitions included. */
  surprises: number;
  /** Writes that had to be rejected, and were. */
  rejected: number;
  /** How many of them should have been rejected, without repetitions, by rule. */
  readonly surprisesOf: Map<string, number>;
  /**
   * How many that should have been rejected may be accepted until the end of this stage, in all and of one rule. Set when
   * the stage begins, so that timing does not matter.
   */
  most: WriteRoom;
  readonly underWay: Set<UnderWay>;
}

/** Creates the limit of a run. So far, no write was accepted. */
export function createWriteLimit(): WriteLimit {
  const accepted = new Map<OperationId, number>();
  const accounts = new Map<OperationId, Account>();
  // Stages keep the cases of one operation apart, but not those of two operations, nor the controls that reads need. Two
  // accepted writes to one organization at once could be answered 409, which says nothing about tokens.
  const wanted = new PQueue({ concurrency: 1 });
  // A receiver may lock the organization for all operations that write to it.
  const allUnderWay = new Set<UnderWay>();
  const turns = new PQueue({ concurrency: 1 });

  function accountOf(id: OperationId): Account {
    const account = accounts.get(id) ?? {
      spent: 0,
      surprises: 0,
      rejected: 0,
      surprisesOf: new Map<string, number>(),
      most: ONE_BY_ONE,
      underWay: new Set<UnderWay>(),
    };
    accounts.set(id, account);
    return account;
  }

  /**
   * Sends a write when it is its turn.
   * @param alone waits until no other write is under way
   * @returns nothing when too many writes were accepted already
   */
  function sendInTurn(
    id: OperationId,
    asked: AskedWrite,
    send: () => Promise<Reply>,
    alone: boolean,
  ): Promise<{ readonly reply?: Reply; readonly beside?: boolean }> {
    const account = accountOf(id);
    const { underWay } = account;
    const work = async (begun: () => void): Promise<{ reply?: Reply; beside?: boolean }> => {
      const others = alone ? allUnderWay : underWay;
      const mustWait = (): boolean => alone || isFull(account, asked, underWay);
      while (others.size > 0 && mustWait()) {
        await Promise.race([...others].map(({ answer }) => answer.catch(() => undefined)));
      }
      if (isFull(account, asked)) return {};
      const own = start(id, account, asked, send);
      if (!alone) begun();
      const reply = await own.answer;
      return { reply, beside: own.beside };
    };
    return new Promise((resolve, reject) => {
      // The turn of the next write comes as soon as this one is under way.
      const turn = (begun: () => void): void => {
        const done = goesBeside(asked) ? work(begun) : wanted.add(() => work(begun));
        void done.then(resolve, reject).finally(begun);
      };
      void turns.add(() => new Promise<void>(turn));
    });
  }

  function start(
    id: OperationId,
    account: Account,
    asked: AskedWrite,
    send: () => Promise<Reply>,
  ): UnderWay {
    const { underWay } = account;
    const carryOut = async (): Promise<Reply> => {
      try {
        const reply = await send();
        note(id, account, asked, reply);
        return reply;
      } finally {
        underWay.delete(own);
        allUnderWay.delete(own);
      }
    };
    for (const other of allUnderWay) other.beside = true;
    const own: UnderWay = { ...asked, beside: allUnderWay.size > 0, answer: carryOut() };
    underWay.add(own);
    allUnderWay.add(own);
    return own;
  }

  function note(id: OperationId, account: Account, asked: AskedWrite, reply: Reply): void {
    if (isAccepted(reply.exchange.fault?.status ?? reply.status)) {
      accepted.set(id, (accepted.get(id) ?? 0) + 1);
      account.spent += 1;
      if (!wouldSurprise(asked)) return;
      account.surprises += 1;
      if (asked.purpose !== "unwanted") return;
      account.surprisesOf.set(asked.rule, (account.surprisesOf.get(asked.rule) ?? 0) + 1);
    } else if (mayHaveBeenAccepted(reply)) {
      account.spent += 1;
    } else if (wouldSurprise(asked)) {
      account.rejected += 1;
    }
  }

  return {
    accepted,
    reached(id) {
      const { spent, surprises } = accountOf(id);
      const lost = spent - (accepted.get(id) ?? 0);
      return surprises + lost > 0 ? WRITE_LIMIT_REACHED : USED_UP_BY_GOOD_WRITES;
    },
    beginStage(id, level) {
      const account = accountOf(id);
      const { spent, surprises, rejected } = account;
      if (surprises > 0) {
        // Each further accepted write leaves less room for the next one, so they go one by one.
        account.most = ONE_BY_ONE;
        return { inAll: Math.min(1, MOST_SURPRISES - surprises), ofRule: 1 };
      }
      const budget = mostAccepted({ purpose: "unwanted", level }) - spent;
      // A receiver that rejected that many hardly accepts all of the next ones, but the budget allows for it.
      account.most =
        rejected < MOST_SURPRISES || budget < MOST_SURPRISES
          ? { inAll: MOST_SURPRISES, ofRule: MOST_SURPRISES_OF_A_RULE_AT_ONCE }
          : { inAll: budget, ofRule: MOST_SURPRISES_OF_A_RULE_WHEN_CALM };
      return { ...account.most, inAll: Math.min(budget, account.most.inAll) };
    },
    async run({ id, writes }, asked, send) {
      if (!writes) return send();
      const { reply, beside } = await sendInTurn(id, asked, send, false);
      if (!beside || !CONFLICTS.has(reply?.status ?? 0)) return reply;
      const again = await sendInTurn(id, asked, send, true);
      return again.reply ?? reply;
    },
  };
}

/**
 * Whether no further write may be sent.
 * @param underWay writes without an answer, all of which count as accepted; default: none
 */
function isFull(
  { spent, surprises, surprisesOf, most }: Account,
  asked: AskedWrite,
  underWay: Iterable<UnderWay> = [],
): boolean {
  const others = [...underWay];
  if (spent + others.length >= mostAccepted(asked)) return true;
  if (!wouldSurprise(asked)) return false;
  const surprising = others.filter(wouldSurprise);
  if (surprises + surprising.length >= most.inAll) return true;
  const { purpose, rule } = asked;
  const ofRule = surprising.filter((other) => other.purpose === "unwanted" && other.rule === rule);
  const known = surprisesOf.get(rule) ?? 0;
  return purpose === "unwanted" && known + ofRule.length >= most.ofRule;
}

function mostAccepted({ purpose, level }: Pick<AskedWrite, "purpose" | "level">): number {
  return purpose === "unwanted" ? MOST_ACCEPTED_UNWANTED[level] : MOST_ACCEPTED[purpose];
}

/** Whether it is wrong to accept the write. What a case only observes may well be accepted. */
function wouldSurprise({ purpose, level }: AskedWrite): boolean {
  return mustBeRejected(purpose) && level !== "OBSERVE";
}

/** Whether the write may be under way beside one that should be accepted. */
function goesBeside({ purpose }: AskedWrite): boolean {
  return purpose === "unwanted" || purpose === "late";
}

/** Whether a write for this purpose must be rejected. */
export function mustBeRejected(purpose: WritePurpose): boolean {
  return purpose === "unwanted" || purpose === "confirming" || purpose === "late";
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a write that has no answer, or one of a gateway, may have been carried out all the same. */
function mayHaveBeenAccepted({ status, exchange: { fault } }: Reply): boolean {
  if (fault?.status !== undefined) return false;
  if (fault) return fault.kind !== "unreachable" && fault.kind !== "tls";
  return status === 502 || status === 504;
}
