// Leaves the YAML fixtures as JSON beside the built code; `src/contract/fixture.ts` says why.
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from "node:fs";

import { parse } from "yaml";

const fixtures = new URL("../fixtures/", import.meta.url);
const compiled = new URL("../dist/fixtures/", import.meta.url);
mkdirSync(compiled, { recursive: true });
for (const name of readdirSync(fixtures).filter((file) => file.endsWith(".yaml"))) {
  const content = parse(readFileSync(new URL(name, fixtures), "utf8"));
  writeFileSync(new URL(`${name}.json`, compiled), JSON.stringify(content));
}
