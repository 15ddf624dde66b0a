import { createHash } from "node:crypto";

import type { Rule } from "../probe/rule.ts";

/** Tells two sets of rules apart by what they say of themselves: a report names it, so that others can tell too. */
export function digestOfRules(rules: readonly Rule[]): string {
  const said = rules.map(({ id, title, level, side, verifies, phase, dependsOn }) => [
    id,
    title,
    level,
    side,
    verifies,
    phase,
    dependsOn,
  ]);
  return createHash("sha256").update(JSON.stringify(said)).digest("hex");
}
