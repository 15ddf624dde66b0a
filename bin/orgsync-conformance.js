#!/usr/bin/env node
// The command of a clone is there before it is built, so that npx finds it and says what is missing.
import { existsSync } from "node:fs";

const main = new URL("../dist/src/cli/main.js", import.meta.url);
if (existsSync(main)) {
  const { start } = await import(main.href);
  await start();
} else {
  console.error("orgsync-conformance is not built yet: run `npm start` once in its folder.");
  process.exitCode = 2;
}
