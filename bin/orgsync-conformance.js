#!/usr/bin/env node
// The command of a clone is there before it is built, so that npx finds it and says what is missing.
import { existsSync } from "node:fs";
import module from "node:module";
import { fileURLToPath } from "node:url";

const main = new URL("../dist/command/main.js", import.meta.url);
if (existsSync(main)) {
  // From Node 22.8 on; beside the code, where nobody can write who cannot change the code as well.
  module.enableCompileCache?.(fileURLToPath(new URL("../dist/command/.cache", import.meta.url)));
  const { start } = await import(main.href);
  await start();
} else {
  console.error("orgsync-conformance is not built yet: run `npm start` once in its folder.");
  process.exitCode = 2;
}
