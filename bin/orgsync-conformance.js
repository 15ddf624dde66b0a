#!/usr/bin/env node
// The command of a clone is there before it is built, so that npx finds it and says what is missing.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

import { whyTooOld } from "./node-version.js";

const main = new URL("../dist/command/main.js", import.meta.url);
const tooOld = whyTooOld();
if (tooOld !== undefined || !existsSync(main)) {
  console.error(
    tooOld || "orgsync-conformance is not built yet: run `npm start` once in its folder.",
  );
  process.exitCode = 2;
} else {
  // From Node 22.8 on; beside the code, where nobody can write who cannot change the code as well.
  if (module.enableCompileCache) {
    module.enableCompileCache(fileURLToPath(new URL("../dist/command/.cache", import.meta.url)));
  }
  // Old versions cannot read `await` here.
  void import(main.href).then(({ start }) => start());
}
