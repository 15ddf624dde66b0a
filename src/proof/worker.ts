import { parentPort } from "node:worker_threads";

import { prove, type ReceiverBuild } from "./prove.ts";

/** Proves one subject after another, as the main thread names them. */
parentPort?.on("message", (subject: ReceiverBuild) => {
  void prove(subject).then(
    (proof) => parentPort?.postMessage({ proof }),
    (error: unknown) => parentPort?.postMessage({ error: String(error), subject }),
  );
});
