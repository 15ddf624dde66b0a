import { readFixture } from "../src/contract/fixture.ts";
import { didYouMean } from "../src/lib/did-you-mean.ts";
import { SuiteError } from "../src/lib/errors.ts";
import { definePack, type Pack, type PackDefinition } from "../src/probe/pack.ts";
import type { Rule } from "../src/probe/rule.ts";
import { rule as envelope } from "./commongrants/envelope.ts";
import { rule as filters } from "./commongrants/filters.ts";
import { rule as ledger } from "./commongrants/ledger.ts";
import { rule as mergePatch } from "./commongrants/merge-patch.ts";
import { rule as provenance } from "./commongrants/provenance.ts";
import { rule as revision } from "./commongrants/revision.ts";
import { rule as routes } from "./commongrants/routes.ts";
import { rule as submission } from "./commongrants/submission.ts";
import { rule as tokens } from "./commongrants/tokens.ts";

/** The rules of the pack, each after those that it rests on. */
export const COMMONGRANTS_RULES: readonly Rule[] = [
  envelope,
  revision,
  submission,
  mergePatch,
  ledger,
  provenance,
  filters,
  tokens,
  routes,
];

const written = readFixture("packs/commongrants.yaml") as Omit<PackDefinition, "rules">;

/** The packs that the suite has. Only a run with a pack loads this file. */
export const PACKS: readonly Pack[] = [definePack({ ...written, rules: COMMONGRANTS_RULES })];

/**
 * The packs that are named, each once.
 * @param named names of packs that the suite has, or packs
 * @throws SuiteError when the suite has no pack of a name, or two packs have the same one
 */
export function findPacks(named: readonly (string | Pack)[]): readonly Pack[] {
  const found = new Map<string, Pack>();
  for (const one of named) {
    const pack = typeof one === "string" ? known(one) : one;
    const other = found.get(pack.id);
    if (other !== undefined && other !== pack) {
      throw new SuiteError("ERR_PACK", `Two packs are called \`${pack.id}\``, {
        hint: "The ids of their rules would be the same. Give one of them another id.",
      });
    }
    found.set(pack.id, pack);
  }
  return [...found.values()];
}

function known(name: string): Pack {
  const pack = PACKS.find(({ id }) => id === name);
  if (pack) return pack;
  const names = PACKS.map(({ id }) => id);
  const question = didYouMean(name, names);
  throw new SuiteError("ERR_PACK", `The suite has no pack \`${name}\``, {
    hint: `${question}${question && " "}It has ${names.join(", ")}. The file of your own pack is named with its path, such as ./my-pack.js.`,
  });
}
