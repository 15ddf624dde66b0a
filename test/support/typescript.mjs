import { register } from "node:module";
import { tmpdir } from "node:os";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

// Node 20 does not load TypeScript, in the processes of the tests nor in the worker threads of `src`. Those have no
// environment variables, so they get the name of the temporary folder in another way. While somebody edits,
// nothing is kept there.
const FOLDER = "temporary folder of the tests";
const isSingleRun = process.env.VITEST_MODE === "RUN";
const folder = getEnvironmentData(FOLDER) ?? (isSingleRun ? tmpdir() : undefined);
if (folder !== undefined) setEnvironmentData(FOLDER, folder);
register("./strip-types.mjs", import.meta.url, { data: folder });
