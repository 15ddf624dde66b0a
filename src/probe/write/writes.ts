import { setTimeout } from "node:timers/promises";

import PQueue from "p-queue";

import type { Level } from "../../contract/levels.ts";
import type { Operation, OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import { CONFLICTS } from "../../http/persistence/retry.ts";
import { type How, SECOND_TRIES, tryAgain } from "../../http/second-tries.ts";
import type { FindingOf } from "../finding.ts";
import { wasLetIn } from "../reception.ts";
import {
  type AskedWrite,
  createWriteBudget,
  type WriteBudget,
  type WriteGrant,
  type Writing,
} from "./budget.ts";
import { PURPOSES } from "./purposes.ts";

/**
 * Limits the accepted writes of a run. The writes of an operation begin in the order of the calls. Several are under way
 * at once only while each of them would be sent even if all others were accepted. Writes that should be accepted go one
 * after another. So the order and the answers decide which writes are sent, and timing does not.
 */
export interface WriteLimit {
  /**
   * Runs `send`, which may turn out to be an accepted write. A conflict with another write that was under way says
   * nothing about tokens, so the request is then sent again; see `SECOND_TRIES.conflict`.
   * @param send takes how it is to be sent
   * @returns `undefined`, without sending, when too many writes were accepted already
   */
  run(operation: Operation, asked: AskedWrite, send: SendWrite): Promise<Reply | undefined>;
  /** The finding of a case of a level whose write of the operation was not sent. Default: MUST. */
  reached(id: OperationId, level?: Level): FindingOf<"inconclusive">;
  /**
   * Begins a stage of writes that must be rejected, when no other write of the operation is under way.
   * @param level of the cases of the stage
   * @returns the grant that each write of the stage carries
   */
  beginStage(id: OperationId, level: Level): WriteGrant;
  /** Accepted writes of an operation so far. */
  accepted(id: OperationId): number;
  /** Whether the answer of an exchange counts as an accepted write. */
  counts(exchange: string): boolean;
}

/** Sends a write, by default as it was composed. */
export type SendWrite = (how?: readonly How[]) => Promise<Reply>;

/** What came of a write: its answer, if it was sent, and whether another write was under way beside it. */
interface InTurn {
  readonly reply?: Reply | undefined;
  readonly beside?: boolean;
}

/** How the limit of a run may differ. */
export interface Limiting extends Pick<Writing, "isAlone" | "inOther" | "most"> {
  /** Waits before a write is sent again. Default: a timer. */
  readonly wait?: (ms: number) => Promise<unknown>;
}

/** A write without an answer so far, which may be accepted. */
interface UnderWay extends AskedWrite {
  readonly answer: Promise<Reply>;
  /** Whether another write was under way at the same time. */
  beside: boolean;
}

interface Account {
  readonly budget: WriteBudget;
  readonly underWay: Set<UnderWay>;
}

/**
 * Creates the limit of a run. So far, no write was accepted.
 */
export function createWriteLimit({ wait = setTimeout, ...writing }: Limiting = {}): WriteLimit {
  const accounts = new Map<OperationId, Account>();
  /** The ids of the exchanges that count. */
  const counted = new Set<string>();
  // Stages keep the cases of one operation apart, but not those of two operations, nor the controls that reads need. Two
  // accepted writes to one organization at once could be answered 409, which says nothing about tokens.
  const wanted = new PQueue({ concurrency: 1 });
  // A receiver may lock the organization for all operations that write to it.
  const allUnderWay = new Set<UnderWay>();
  const turns = new PQueue({ concurrency: 1 });

  function accountOf(id: OperationId): Account {
    const account = accounts.get(id) ?? {
      budget: createWriteBudget({ ...writing, isRestored: id === "editOrganization" }),
      underWay: new Set<UnderWay>(),
    };
    accounts.set(id, account);
    return account;
  }

  /** Sends a write in its turn, alone if asked; nothing when too many were accepted already. */
  function sendInTurn(
    id: OperationId,
    asked: AskedWrite,
    send: () => Promise<Reply>,
    alone: boolean,
  ): Promise<InTurn> {
    const account = accountOf(id);
    const { budget, underWay } = account;
    const work = async (begun: () => void): Promise<InTurn> => {
      const others = alone ? allUnderWay : underWay;
      const mustWait = (): boolean => alone || budget.isSpentFor(asked, underWay);
      while (others.size > 0 && mustWait()) {
        await Promise.race([...others].map(({ answer }) => answer.catch(() => undefined)));
      }
      if (budget.isSpentFor(asked)) return {};
      const own = start(account, asked, send);
      if (!alone) begun();
      const reply = await own.answer;
      return { reply, beside: own.beside };
    };
    return new Promise((resolve, reject) => {
      // The turn of the next write comes as soon as this one is under way.
      const turn = (begun: () => void): void => {
        const done =
          PURPOSES[asked.purpose].beside !== "none" ? work(begun) : wanted.add(() => work(begun));
        void done.then(resolve, reject).finally(begun);
      };
      void turns.add(() => new Promise<void>(turn));
    });
  }

  function start(
    { budget, underWay }: Account,
    asked: AskedWrite,
    send: () => Promise<Reply>,
  ): UnderWay {
    const carryOut = async (): Promise<Reply> => {
      try {
        const reply = await send();
        if (PURPOSES[asked.purpose].mustBeRejected && wasLetIn(reply))
          await asked.unknownPath?.look();
        if (budget.note(asked, reply)) counted.add(reply.exchange.id);
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

  return {
    accepted: (id) => accountOf(id).budget.accepted,
    counts: (exchange) => counted.has(exchange),
    reached: (id, level) => accountOf(id).budget.reached(level),
    beginStage: (id, level) => accountOf(id).budget.beginStage(level),
    async run({ id, writes }, asked, send) {
      if (!writes) return send();
      const row = SECOND_TRIES.conflict;
      const first = await sendInTurn(id, asked, () => send(), false);
      const { reply } = await tryAgain<InTurn>(
        row,
        first,
        (last) => last.beside === true && CONFLICTS.has(last.reply?.status ?? 0),
        async (last) => {
          const again = await sendInTurn(id, asked, () => send(row.how), row.how.includes("alone"));
          return again.reply ? again : { reply: last.reply };
        },
        wait,
      );
      return reply;
    },
  };
}
