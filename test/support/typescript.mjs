import { register } from "node:module";
import { tmpdir } from "node:os";
import { getEnvironmentData, setEnvironmentData } from "node:worker_threads";

// Node 20 does not load TypeScript, in the processes of the tests nor in the worker threads of `src`. Those have no
// environment variables, so they get the name of the temporary folder in another way.
const FOLDER = "temporary folder of the tests";
const folder = getEnvironmentData(FOLDER) ?? tmpdir();
setEnvironmentData(FOLDER, folder);
register("./strip-types.mjs", import.meta.url, { data: folder });
