import { createHash } from "node:crypto";

import type { Rule } from "../probe/rule.ts";

/** A SHA-256 digest, in hex, of what rules declare, to compare the sets of two reports. */
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
