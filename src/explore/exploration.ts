import type { Exploration } from "../engine/exploration.ts";
import type { NamedCase } from "../engine/select-cases.ts";
import type { Rule } from "../probe/rule.ts";
import type { Target } from "../profile/target.ts";
import { contractSays, OWNERS } from "./contract-says.ts";
import { drawsFor } from "./draws.ts";
import { explore } from "./explore.ts";
import { exploredCase } from "./explored-case.ts";
import type { ExploreLimits } from "./limits.ts";
import { drawAt, likelyPlace, parseId } from "./numbered.ts";

/**
 * Creates the exploration of a run.
 * @param limits absent: it explores nothing, and only knows the cases of an earlier exploration
 * @param only whether it runs in place of the plan
 */
export function createExploration(limits?: ExploreLimits, only = false): Exploration {
  return {
    only,
    owners: OWNERS,
    casesOf,
    ...(limits && { explore: (run) => explore(run, limits) }),
  };
}

/** Makes the cases of ids again; those that this profile does not have are left out. */
async function casesOf(
  target: Target,
  rules: readonly Rule[],
  ids: readonly string[],
): Promise<NamedCase[]> {
  const named = ids.flatMap((caseId) => parseId(caseId) ?? []);
  if (named.length === 0) return [];
  const fc = await import("fast-check");
  const draws = drawsFor(fc, target);
  const cases: NamedCase[] = [];
  for (const { caseId, rule: ruleId, id, seed, path } of named) {
    const rule = rules.find((one) => one.id === ruleId);
    const draw = drawAt(fc, draws, seed, path);
    if (!rule || !draw) continue;
    for (const othersDenied of [false, true]) {
      const said = await contractSays(draw, likelyPlace(target, draw, othersDenied));
      if (said?.rule !== ruleId) continue;
      cases.push({ caseId, rule, testCase: exploredCase(rule, id, draw, said) });
      break;
    }
  }
  return cases;
}
