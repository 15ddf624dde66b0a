// What starting Node takes; see benchmark.mjs.
process.exitCode = 0;
