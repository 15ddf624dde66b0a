// Measures the start of Node itself; see benchmark.mjs.
process.exitCode = 0;
