import { parentPort } from "node:worker_threads";

import type { Task } from "./prove-all.ts";
import { prove, proveCaught } from "./prove.ts";

/** Proves one subject after another, as the main thread names them. */
parentPort?.on("message", ({ subject, rule }: Task) => {
  void (rule === undefined ? prove(subject) : proveCaught(subject, rule)).then(
    (proof) => parentPort?.postMessage({ proof }),
    (error: unknown) => parentPort?.postMessage({ error: String(error), subject }),
  );
});
