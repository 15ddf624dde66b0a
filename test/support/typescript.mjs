import { register } from "node:module";

// Lets the worker threads of tests run `src` as it is. Vitest translates what it imports itself;
// Node 20 has no part in that.
register("./strip-types.mjs", import.meta.url);
