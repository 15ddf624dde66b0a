import type { Mistake } from "../../../model/mistakes/mistake.ts";
import type { Asked } from "./asked.ts";
import { DIVISIONS, type Division } from "./divisions.ts";

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
  const wrong = asked.answerWith(checks);
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
  /** Where it is limited to some requests: the end of a sentence that says to which. */
  readonly where?: string;
  /** The ids of the exchanges that it explains or allows. */
  readonly explains: ReadonlySet<string>;
  /** How many of these it foretells. */
  readonly foretells: number;
  /** How many other answers it makes unlikely. */
  readonly doubts: number;
  /** The ids of the exchanges of which it foretells an answer that the contract leaves open. */
  readonly agrees: ReadonlySet<string>;
}

interface Told {
  readonly asked: Asked;
  readonly says: Said;
}

/** Requests of the run, and those of them whose answers break the contract. */
export interface ToCompare {
  readonly requests: readonly Asked[];
  readonly broken: readonly Asked[];
}

/**
 * Compares a mistake with requests. `undefined` where it explains nothing. A check may have been forgotten for some requests: where the
 * mistake is contradicted, it is limited to the operations, the algorithms or the kind of tokens for which it is not.
 */
export function compare(mistake: Mistake, { requests, broken }: ToCompare): Compared | undefined {
  // Most mistakes explain nothing, and few answers break the contract.
  if (!broken.some((asked) => isBehind(sayOf(mistake, asked)))) return undefined;
  const said = requests.flatMap((asked): Told[] => {
    const says = sayOf(mistake, asked);
    return says === "nothing" ? [] : [{ asked, says }];
  });
  if (!said.some(({ says }) => says === "contradicts")) return summed(mistake, said);
  const limited = DIVISIONS.flatMap((division) => limitedTo(mistake, said, division) ?? []);
  const most = Math.max(...limited.map(({ explains }) => explains.size));
  return limited.find(({ explains }) => explains.size === most);
}

/** Whether a mistake may be the reason of an answer that breaks the contract. */
function isBehind(says: Said): boolean {
  return says === "explains" || says === "allows";
}

/** The mistake on one side of a division; `undefined` where it is contradicted on both, or explains nothing there. */
function limitedTo(
  mistake: Mistake,
  said: readonly Told[],
  { of, least, words }: Division,
): Compared | undefined {
  const not = new Set<string>();
  for (const { asked, says } of said) {
    const kind = of(asked);
    if (says !== "contradicts") continue;
    if (kind === undefined) return undefined;
    not.add(kind);
  }
  const there = said.filter(({ asked }) => {
    const kind = of(asked);
    return kind !== undefined && !not.has(kind);
  });
  const behind = there.filter(({ says }) => isBehind(says));
  if (behind.length < least) return undefined;
  const against = said.filter(({ says }) => says === "contradicts");
  if (against.length < least) return undefined;
  const on = new Set(behind.flatMap(({ asked }) => of(asked) ?? []));
  return { ...summed(mistake, there), where: words(on, not) };
}

function summed(mistake: Mistake, said: readonly Told[]): Compared {
  const explains = said.filter(({ says }) => isBehind(says));
  return {
    mistake,
    explains: new Set(explains.map(({ asked }) => asked.id)),
    foretells: explains.filter(({ says }) => says === "explains").length,
    doubts: said.filter(({ says }) => says === "doubts").length,
    agrees: new Set(said.flatMap(({ asked, says }) => (says === "agrees" ? [asked.id] : []))),
  };
}
