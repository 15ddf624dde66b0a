import { type MessagePort, parentPort } from "node:worker_threads";

import type { Answer, Task } from "./prove-all.ts";
import { prove, proveCaught } from "./prove.ts";

/** Proves what the main thread names, several subjects at once. Each answer goes to the task's own port. */
parentPort?.on("message", ({ task, port }: { task: Task; port: MessagePort }) => {
  const { subject, rule } = task;
  void (rule === undefined ? prove(subject) : proveCaught(subject, rule))
    .then(
      (proof): Answer => ({ proof }),
      (error: unknown): Answer => ({ error: String(error) }),
    )
    .then((answer) => port.postMessage(answer));
});
