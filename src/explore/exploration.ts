import { isExploredId } from "../contract/ids.ts";
import type { Exploration } from "../engine/exploration.ts";
import type { NamedCase } from "../engine/select-cases.ts";
import type { Rule } from "../probe/rule.ts";
import type { Target } from "../profile/target.ts";
import type { ExploreLimits } from "./limits.ts";
import { OWNERS } from "./owners.ts";

// What explores is loaded only by a run that does.

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
    ...(limits && {
      async explore(run) {
        const { explore } = await import("./explore.ts");
        return explore(run, limits);
      },
    }),
  };
}

/** Makes the cases of ids again; those that this profile does not have are left out. */
async function casesOf(
  target: Target,
  rules: readonly Rule[],
  ids: readonly string[],
): Promise<NamedCase[]> {
  if (!ids.some(isExploredId)) return [];
  const { drawAt, likelyPlace, parseId } = await import("./numbered.ts");
  const { contractSays } = await import("./contract-says.ts");
  const { drawsFor } = await import("./draws.ts");
  const { exploredCase } = await import("./explored-case.ts");
  const { walkCase } = await import("./walks/walk-case.ts");
  const { walksFor } = await import("./walks/walk-draw.ts");
  const named = ids.flatMap((caseId) => parseId(caseId) ?? []);
  const fc = await import("fast-check");
  const draws = drawsFor(fc, target);
  const walks = walksFor(fc, target);
  const cases: NamedCase[] = [];
  for (const { caseId, rule: ruleId, id, drawn, seed, path } of named) {
    const rule = rules.find((one) => one.id === ruleId);
    if (drawn === "walk") {
      const walk = walks && drawAt(fc, walks, seed, path);
      if (rule && walk) cases.push({ caseId, rule, testCase: walkCase(rule, id, walk) });
      continue;
    }
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
