#!/usr/bin/env node
// The command of a clone is there before it is built, so that npx finds it and says what is missing.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import process from "node:process";
import { fileURLToPath } from "node:url";

import { whyUnfit } from "./runtime.js";

const START = "../dist/command/start.cjs";
const NOT_BUILT = "orgsync-conformance is not built yet: run `npm start` once in its folder.";

const isBuilt = () => existsSync(fileURLToPath(new URL(START, import.meta.url)));
const missing = whyUnfit() ?? (isBuilt() ? undefined : NOT_BUILT);
if (missing === undefined) {
  createRequire(import.meta.url)(START).startCommand();
} else {
  console.error(missing);
  process.exitCode = 2;
}
