import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Proof, ReceiverBuild } from "./prove.ts";

/** What a worker proves. */
export interface Task {
  readonly subject: ReceiverBuild;
  /** Only whether this rule catches the fault; see `proveCaught`. Default: whether it alone does. */
  readonly rule?: string | undefined;
}

type Answer =
  | { readonly proof: Proof }
  | { readonly error: string; readonly subject: ReceiverBuild };

/** A proof waits for half of its time until a token expires. */
const WORKERS_PER_CORE = 2;

/**
 * Proves subjects on all cores.
 * @param onProof called when each proof is done
 * @returns the proofs in the order of the tasks
 * @throws Error when a subject could not be proven at all
 */
export async function proveAll(
  tasks: readonly Task[],
  onProof: (proof: Proof) => void,
): Promise<Proof[]> {
  const queue = [...tasks];
  const done = new Map<string, Proof>();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    try {
      for (let task = queue.shift(); task; task = queue.shift()) {
        const proof = await ask(worker, task);
        done.set(key(task.subject), proof);
        onProof(proof);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: WORKERS_PER_CORE * availableParallelism() }, work));
  return tasks.flatMap(({ subject }) => done.get(key(subject)) ?? []);
}

function ask(worker: Worker, task: Task): Promise<Proof> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (answer: Answer) => {
      worker.off("error", reject);
      if ("proof" in answer) resolve(answer.proof);
      else reject(new Error(`${key(answer.subject)}: ${answer.error}`));
    });
    worker.postMessage(task);
  });
}

function key({ kind, name }: ReceiverBuild): string {
  return `${kind} ${name}`;
}
