import type { OperationId } from "../../../contract/operations.ts";
import { CHECKS } from "../../../model/checks.ts";
import type { Mistake } from "../../../model/mistakes/mistake.ts";
import { answerWith, type Asked } from "./asked.ts";

/**
 * What a mistake says of one request of the run:
 * - `explains`: the answer breaks the contract, and a receiver with the mistake answers so
 * - `allows`: the answer breaks the contract, and a receiver with the mistake may answer so, depending on what the mistake does not say
 * - `agrees`: the contract leaves the answer open, and the mistake foretells it
 * - `doubts`: a receiver with the mistake should answer otherwise, and need not
 * - `contradicts`: a receiver with the mistake answers otherwise
 * - `nothing`: it answers as the contract says
 */
export type Said = "explains" | "allows" | "agrees" | "doubts" | "contradicts" | "nothing";

/** Whether the answer to a request is another one than the contract's. */
export function deviates({ contract, accepted }: Asked): boolean {
  return contract.says !== "open" && (contract.says === "accepted") !== accepted;
}

/** Compares what a receiver with a mistake would have answered with what was answered. */
function sayOf({ checks }: Mistake, asked: Asked): Said {
  const { contract, accepted } = asked;
  const wrong = answerWith(asked, { ...CHECKS, ...checks });
  if (wrong.says === contract.says) return "nothing";
  if (wrong.says === "open") return deviates(asked) ? "allows" : "nothing";
  if ((wrong.says === "accepted") === accepted) return deviates(asked) ? "explains" : "agrees";
  // What the contract leaves open, a receiver may accept for a reason of its own. What is only advice, it may do otherwise.
  if (wrong.says === "rejected" && contract.says === "open") return "nothing";
  return wrong.level === "MUST" ? "contradicts" : "doubts";
}

/** A mistake compared with requests of the run. */
export interface Compared {
  readonly mistake: Mistake;
  /** The operations it is limited to, and those on which it is contradicted; absent where it is nowhere. */
  readonly where?: {
    readonly on: ReadonlySet<OperationId>;
    readonly not: ReadonlySet<OperationId>;
  };
  /** The ids of the exchanges that it explains or allows. */
  readonly explains: ReadonlySet<string>;
  /** How many of these it foretells. */
  readonly foretells: number;
  /** How many other answers it makes unlikely. */
  readonly doubts: number;
  /** The ids of the exchanges of which it foretells an answer that the contract leaves open. */
  readonly agrees: ReadonlySet<string>;
}

/**
 * Compares a mistake with requests. `undefined` where it explains nothing. A check may have been forgotten on some operations: where the
 * mistake is contradicted, it is limited to the operations where it is not.
 */
export function compare(mistake: Mistake, all: readonly Asked[]): Compared | undefined {
  const said = all.map((asked) => ({ asked, says: sayOf(mistake, asked) }));
  const operationsWith = (...what: readonly Said[]): Set<OperationId> =>
    new Set(
      said.flatMap(({ asked: { operation }, says }) =>
        what.includes(says) && operation ? [operation] : [],
      ),
    );
  const not = operationsWith("contradicts");
  const on = new Set([...operationsWith("explains", "allows")].filter((id) => !not.has(id)));
  if (said.some(({ asked, says }) => says === "contradicts" && !asked.operation)) return undefined;
  if (on.size === 0) return undefined;
  const holds = ({ operation }: Asked): boolean => operation !== undefined && !not.has(operation);
  const there = said.filter(({ asked }) => holds(asked));
  const explains = there.filter(({ says }) => says === "explains" || says === "allows");
  return {
    mistake,
    ...(not.size > 0 && { where: { on, not } }),
    explains: new Set(explains.map(({ asked }) => asked.id)),
    foretells: explains.filter(({ says }) => says === "explains").length,
    doubts: there.filter(({ says }) => says === "doubts").length,
    agrees: new Set(there.filter(({ says }) => says === "agrees").map(({ asked }) => asked.id)),
  };
}
