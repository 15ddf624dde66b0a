import { type MessagePort, parentPort, workerData } from "node:worker_threads";

import { plainAnswers } from "./cases-to-run.ts";
import type { CleanRun, ServerRun } from "./clean-run.ts";
import type { Answer, Task } from "./prove-all.ts";
import { provePart } from "./prove-part.ts";
import { prove } from "./prove.ts";

// Refusals and ends of cases are thrown by the thousand, and nobody reads where.
Error.stackTraceLimit = 0;

const { clean, draw } = workerData as {
  readonly clean?: readonly [CleanRun, ServerRun];
  readonly draw: string;
};
const plain = clean && plainAnswers(...clean);

/** Proves what the main thread names, several subjects at once. Each answer goes to the task's own port. */
parentPort?.on("message", ({ task, port }: { task: Task; port: MessagePort }) => {
  void answer(task).then((told) => port.postMessage(told));
});

async function answer(subject: Task): Promise<Answer> {
  try {
    return { proof: plain ? await provePart(subject, await plain, draw) : await prove(subject) };
  } catch (error) {
    return { error: String(error) };
  }
}
