import { readFileSync } from "node:fs";

import { compiledFixture, fixturePath } from "../lib/package-root.ts";

/**
 * What a YAML file of the folder `fixtures` holds. The build leaves it as JSON as well
 * (`scripts/compile-fixtures.mjs`): to parse YAML takes longer than all else at the start of a run.
 */
export async function readFixture(name: string): Promise<unknown> {
  const compiled = compiledFixture(`${name}.json`, import.meta.url);
  if (compiled !== undefined) return JSON.parse(readFileSync(compiled, "utf8"));
  const { parse } = await import("yaml");
  return parse(readFileSync(fixturePath(name), "utf8"));
}
