import { OPERATIONS } from "../../contract/operations.ts";
import { counted } from "../../lib/words.ts";
import type { HeldToFirstUse } from "../../probe/controls/first-use.ts";
import type { SetupProblem } from "../events.ts";

/** Why good tokens were refused, as a clause: the operation of their first use decided. */
export function firstUseInWords({ first, next, refused }: HeldToFirstUse): string {
  return `${counted(refused, "good token")} that ${named(first)} had accepted before ${refused === 1 ? "was" : "were"} refused on ${named(next)}, where a fresh twin is accepted`;
}

/** The set-up problem where the operation of a token's first use decided. */
export function firstUseProblems(summary: HeldToFirstUse): SetupProblem[] {
  return [
    {
      problem: `${firstUseInWords(summary)}. What was decided for a token on one route is applied to others.`,
      remedy:
        "Look for a cache of decisions whose key is the token alone, such as a gateway that caches the policy of the first route. Add the route to the key, or switch the cache off, and run again.",
    },
  ];
}

function named(id: HeldToFirstUse["first"]): string {
  const { method, path } = OPERATIONS[id];
  return `${method} ${path}`;
}
