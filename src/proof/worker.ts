import { type MessagePort, parentPort } from "node:worker_threads";

import { plainAnswers } from "./cases-to-run.ts";
import type { Answer, Comparison, Task } from "./prove-all.ts";
import { provePack } from "./prove-pack.ts";
import { provePart } from "./prove-part.ts";
import { type Proof, prove, type ReceiverBuild } from "./prove.ts";

// Refusals and ends of cases are thrown by the thousand, and nobody reads where.
Error.stackTraceLimit = 0;

/** What the main thread tells: how builds are proven from now on, or a task, whose answer goes to the port. */
type Told =
  | { readonly comparison: Comparison | undefined }
  | { readonly task: Task; readonly port: MessagePort };

let proveBuild: (build: ReceiverBuild) => Promise<Proof> = prove;

parentPort?.on("message", (told: Told) => {
  if ("task" in told) void answer(told.task).then((answered) => told.port.postMessage(answered));
  else if (told.comparison) compareWith(told.comparison);
});

function compareWith({ clean, draw }: Comparison): void {
  const plain = plainAnswers(...clean);
  proveBuild = async (build) => provePart(build, await plain, draw);
}

/** Several tasks are under way at once. */
async function answer(task: Task): Promise<Answer> {
  try {
    if ("ofPack" in task) return { proof: await provePack(task.ofPack) };
    return { proof: await proveBuild(task.build) };
  } catch (error) {
    return { error: String(error) };
  }
}
