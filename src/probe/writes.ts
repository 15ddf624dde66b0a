import PQueue from "p-queue";

import type { Operation, OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";

/** What is expected of a write; one that is `needed` is looked for by many rules. */
export type WritePurpose = "control" | "needed" | "wanted" | "unwanted" | "confirming";

/** Accepted writes of one operation after which no other is begun; a run promises fewer than twenty. */
const MOST_ACCEPTED: Readonly<Record<WritePurpose, number>> = {
  unwanted: 16,
  wanted: 12,
  confirming: 17,
  needed: 18,
  control: 19,
};
/** Of these, how many ought to have been refused: enough to know, with as many left to confirm it. */
const MOST_SURPRISES = 7;
/** How many of these one rule may have: it has failed by then, and other rules need the rest. */
const MOST_SURPRISES_OF_A_RULE = 3;
const AT_ONCE = 8;

/** Keeps a run's writes few and, where they ought to be accepted, one after the other. */
export interface WriteLimit {
  /**
   * Runs a send that may turn out to be an accepted write.
   * @param rule on whose behalf
   * @returns `undefined`, without sending, when too many have been accepted already
   */
  run(
    operation: Operation,
    purpose: WritePurpose,
    rule: string,
    send: () => Promise<Reply>,
  ): Promise<Reply | undefined>;
  /** Accepted writes so far, by operation. */
  readonly accepted: ReadonlyMap<OperationId, number>;
}

/** What became of the writes of one operation. */
interface Account {
  /** Accepted for all that is known: there may have been no answer. */
  spent: number;
  /** Those of them that were not wanted, when they were first tried. */
  surprises: number;
  /** The same for each rule. */
  readonly surprisesOf: Map<string, number>;
  underWay: number;
  /** Rules of which one was refused: those that follow most likely will be too. */
  readonly refusing: Set<string>;
  /** Unwanted ones that are under way, by rule. */
  readonly tryingOf: Map<string, number>;
  /** Wake those who wait for a write to end. */
  readonly wake: (() => void)[];
}

export function createWriteLimit(): WriteLimit {
  const accepted = new Map<OperationId, number>();
  const accounts = new Map<OperationId, Account>();
  // Two accepted edits of one organization at once could meet a 409 that says nothing about tokens.
  const wanted = new PQueue({ concurrency: 1 });
  const unwanted = new PQueue({ concurrency: AT_ONCE });

  function accountOf(id: OperationId): Account {
    const account = accounts.get(id) ?? {
      spent: 0,
      surprises: 0,
      surprisesOf: new Map<string, number>(),
      underWay: 0,
      refusing: new Set<string>(),
      tryingOf: new Map<string, number>(),
      wake: [],
    };
    accounts.set(id, account);
    return account;
  }

  async function spend(
    id: OperationId,
    purpose: WritePurpose,
    rule: string,
    send: () => Promise<Reply>,
  ): Promise<Reply | undefined> {
    const account = accountOf(id);
    const unwantedOne = purpose === "unwanted";
    const mustWait = (): boolean =>
      isFull(account, purpose) || (unwantedOne && hasShownEnough(account, rule));
    while (mustWait()) {
      const settled = (account.surprisesOf.get(rule) ?? 0) >= MOST_SURPRISES_OF_A_RULE;
      if (account.underWay === 0 || (unwantedOne && settled)) return undefined;
      // It will most likely be refused, and spend nothing.
      await new Promise<void>((wake) => account.wake.push(wake));
    }
    account.underWay += 1;
    if (unwantedOne) count(account.tryingOf, rule, 1);
    try {
      const reply = await send();
      const wasAccepted = isAccepted(reply.exchange.fault?.status ?? reply.status);
      if (wasAccepted) accepted.set(id, (accepted.get(id) ?? 0) + 1);
      if (unwantedOne && !wasAccepted) account.refusing.add(rule);
      if (wasAccepted && unwantedOne) {
        account.surprises += 1;
        count(account.surprisesOf, rule, 1);
      }
      if (wasAccepted || mayHaveBeenAccepted(reply)) account.spent += 1;
      return reply;
    } finally {
      account.underWay -= 1;
      if (unwantedOne) count(account.tryingOf, rule, -1);
      for (const wake of account.wake.splice(0)) wake();
    }
  }

  return {
    accepted,
    async run({ id, writes }, purpose, rule, send) {
      if (!writes) return send();
      const lane = purpose === "unwanted" ? unwanted : wanted;
      // What was seen once is confirmed before others are tried.
      const priority = purpose === "confirming" ? 1 : 0;
      return lane.add(() => spend(id, purpose, rule, send), { priority });
    },
  };
}

function isFull({ spent, surprises, underWay }: Account, purpose: WritePurpose): boolean {
  const tooManySurprises = purpose === "unwanted" && surprises + underWay >= MOST_SURPRISES;
  return tooManySurprises || spent + underWay >= MOST_ACCEPTED[purpose];
}

/** With those under way a rule could come to have more surprises than it may. */
function hasShownEnough(account: Account, rule: string): boolean {
  const { surprisesOf, tryingOf, refusing } = account;
  if (refusing.has(rule) && !surprisesOf.has(rule)) return false;
  return (surprisesOf.get(rule) ?? 0) + (tryingOf.get(rule) ?? 0) >= MOST_SURPRISES_OF_A_RULE;
}

function count(counts: Map<string, number>, name: string, by: number): void {
  counts.set(name, (counts.get(name) ?? 0) + by);
}

function isAccepted(status: number): boolean {
  return status >= 200 && status < 300;
}

/** Whether a write without an answer, or with a gateway's, may have been carried out all the same. */
function mayHaveBeenAccepted({ status, exchange: { fault } }: Reply): boolean {
  if (fault?.status !== undefined) return false;
  if (fault) return fault.kind !== "unreachable" && fault.kind !== "tls";
  return status === 502 || status === 504;
}
