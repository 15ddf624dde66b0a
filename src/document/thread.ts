import { extname } from "node:path";
import { Worker } from "node:worker_threads";

/** Memory for a document, in MiB. */
export const DOCUMENT_MEBIBYTES = 96;
/** Size of the young generation, whose objects mostly live briefly. */
const YOUNG_MEBIBYTES = 6;

/**
 * Starts a worker thread that can read a document. It does not keep the process alive, and nothing that happens in it throws
 * here.
 * @param mebibytes how much memory it may use
 */
export function startThread(mebibytes: number = DOCUMENT_MEBIBYTES): Worker {
  // Beside this file, in `src` as well as in `dist`.
  const file = new URL(`./worker${extname(import.meta.url)}`, import.meta.url);
  const thread = new Worker(file, {
    // No environment variables, because they may hold secrets.
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: mebibytes,
      maxYoungGenerationSizeMb: YOUNG_MEBIBYTES,
    },
  });
  thread.unref();
  thread.on("error", () => undefined);
  return thread;
}
