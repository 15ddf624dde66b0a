import { listFact, type Phrase, phrase } from "../../../probe/phrase.ts";
import type { Asked } from "../model/asked.ts";
import type { Line } from "./line.ts";

/** With which algorithms good tokens are accepted and refused, where one that the deployment declares is always refused. */
export function keyLines(all: readonly Asked[]): Line[] {
  const good = all.filter(
    ({ contract, token }) =>
      contract.says === "accepted" && contract.level === "MUST" && token?.signature.is === "valid",
  );
  const algorithms = (was: boolean): Set<string> =>
    new Set(
      good.flatMap(({ accepted, token }) =>
        accepted === was ? [String(token?.header?.["alg"])] : [],
      ),
    );
  const accepted = algorithms(true);
  const declared = new Set(all[0]?.known.algorithms);
  const refused = [...algorithms(false)].filter((alg) => !accepted.has(alg) && declared.has(alg));
  if (accepted.size === 0 || refused.length === 0) return [];
  return [
    {
      accepts: phrase`a good token that is signed with ${named(accepted)}`,
      refuses: phrase`one that is signed with ${named(refused)}`,
    },
  ];
}

function named(algorithms: Iterable<string>): Phrase {
  return phrase`${listFact(
    [...algorithms].toSorted().map((alg) => `\`${alg}\``),
    " or ",
  )}`;
}
