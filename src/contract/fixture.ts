import { readFileSync } from "node:fs";

import { compiledFixture, fixturePath } from "../lib/package-root.ts";

/**
 * Reads a YAML file of the `fixtures` folder as a JSON value. A build reads the JSON form that
 * `scripts/compile-fixtures.mjs` wrote, because parsing YAML takes longer than the rest of the start.
 * @param name the file name, such as `openapi.yaml`
 */
export async function readFixture(name: string): Promise<unknown> {
  const compiled = compiledFixture(`${name}.json`, import.meta.url);
  if (compiled !== undefined) return JSON.parse(readFileSync(compiled, "utf8"));
  const { parse } = await import("yaml");
  return parse(readFileSync(fixturePath(name), "utf8"));
}
