#!/usr/bin/env node
// The command of a clone is there before it is built, so that npx finds it and says what is missing.
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

import { whyTooOld } from "./node-version.js";

const start = fileURLToPath(new URL("../dist/command/start.cjs", import.meta.url));
const tooOld = whyTooOld();
if (tooOld !== undefined || !existsSync(start)) {
  console.error(
    tooOld || "orgsync-conformance is not built yet: run `npm start` once in its folder.",
  );
  process.exitCode = 2;
} else {
  createRequire(import.meta.url)(start).startCommand();
}
