// What starting Node takes; see benchmark.mjs.
