import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

import { compiledFixture, fixturePath } from "../lib/package-root.ts";

const require = createRequire(import.meta.url);

/**
 * Reads a YAML file of the `fixtures` folder as a JSON value. A build reads the JSON form that
 * `scripts/compile-fixtures.mjs` wrote, because parsing YAML takes longer than the rest of the start.
 * @param name the file name, such as `openapi.yaml`
 */
export function readFixture(name: string): unknown {
  const compiled = compiledFixture(`${name}.json`, import.meta.url);
  if (compiled !== undefined) return JSON.parse(readFileSync(compiled, "utf8"));
  const { parse } = require("yaml") as typeof import("yaml");
  return parse(readFileSync(fixturePath(name), "utf8"));
}
