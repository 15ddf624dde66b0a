import PQueue from "p-queue";

import type { Operation, OperationId } from "../../contract/operations.ts";
import type { Reply } from "../../http/exchange.ts";
import type { Finding } from "../finding.ts";
import { phrase } from "../phrase.ts";

/** What is expected of a write; one that is `needed` is looked for by many rules. */
export type WritePurpose = "control" | "needed" | "wanted" | "unwanted" | "confirming";

/**
 * Accepted writes of one operation after which no other is begun; a run promises fewer than twenty.
 * The last are reserved: two for the edits that `resources.*` look for, two for the controls that follow them and for
 * setting back what was edited.
 */
const MOST_ACCEPTED: Readonly<Record<WritePurpose, number>> = {
  wanted: 13,
  unwanted: 15,
  confirming: 15,
  needed: 17,
  control: 19,
};
/** Of these, how many ought to have been refused, their repetitions included. */
const MOST_SURPRISES = 7;
/** How many of these one rule may have, without repetitions: it has failed by then, and other rules need the rest. */
const MOST_SURPRISES_OF_A_RULE = 2;

/** What becomes of a case whose write is not sent, because too many have been accepted. */
export const WRITE_LIMIT_REACHED: Extract<Finding, { kind: "inconclusive" }> = {
  kind: "inconclusive",
  code: "write-limit",
  reason: phrase`not sent: a run makes fewer than 20 accepted writes for each operation, and none is left for this; fix what was accepted and should not have been, then run again to judge it`,
};

/**
 * Keeps a run's writes few. Those of one operation go one after the other, and so do those that ought to be accepted:
 * which are sent follows from the order in which they are asked for and from the answers, and from no time.
 */
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
  /** How many of them were not wanted, those included that repeated one. */
  surprises: number;
  /** How many were not wanted when they were first tried, by rule. */
  readonly surprisesOf: Map<string, number>;
  readonly turns: PQueue;
}

export function createWriteLimit(): WriteLimit {
  const accepted = new Map<OperationId, number>();
  const accounts = new Map<OperationId, Account>();
  // Two accepted edits of one organization at once could meet a 409 that says nothing about tokens.
  const wanted = new PQueue({ concurrency: 1 });

  function accountOf(id: OperationId): Account {
    const account = accounts.get(id) ?? {
      spent: 0,
      surprises: 0,
      surprisesOf: new Map<string, number>(),
      turns: new PQueue({ concurrency: 1 }),
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
    if (account.spent >= MOST_ACCEPTED[purpose]) return undefined;
    const isFirst = purpose === "unwanted";
    const isSurprise = isFirst || purpose === "confirming";
    if (isSurprise && account.surprises >= MOST_SURPRISES) return undefined;
    const ofRule = account.surprisesOf.get(rule) ?? 0;
    if (isFirst && ofRule >= MOST_SURPRISES_OF_A_RULE) return undefined;
    const reply = await send();
    if (isAccepted(reply.exchange.fault?.status ?? reply.status)) {
      accepted.set(id, (accepted.get(id) ?? 0) + 1);
      account.spent += 1;
      if (isSurprise) account.surprises += 1;
      if (isFirst) account.surprisesOf.set(rule, ofRule + 1);
    } else if (mayHaveBeenAccepted(reply)) {
      account.spent += 1;
    }
    return reply;
  }

  return {
    accepted,
    async run({ id, writes }, purpose, rule, send) {
      if (!writes) return send();
      const work = (): Promise<Reply | undefined> => spend(id, purpose, rule, send);
      return accountOf(id).turns.add(() => (purpose === "unwanted" ? work() : wanted.add(work)));
    },
  };
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
