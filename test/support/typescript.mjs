import { register } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

// Node 20 does not load TypeScript, in the processes of the tests nor in the worker threads of `src`. Those have no
// environment variables, so they get the name of the bundle (`document-worker.mjs`) in another way.
const BUNDLE = "bundle of the document's worker thread";
const bundle = getEnvironmentData(BUNDLE) ?? join(tmpdir(), "document-worker.js");
setEnvironmentData(BUNDLE, bundle);
register("./strip-types.mjs", import.meta.url, { data: bundle });
