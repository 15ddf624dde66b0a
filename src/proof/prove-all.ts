import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";

import type { Proof, ReceiverBuild } from "./prove.ts";

type Answer =
  | { readonly proof: Proof }
  | { readonly error: string; readonly subject: ReceiverBuild };

/** A proof waits for half of its time until a token expires. */
const WORKERS_PER_CORE = 2;

/**
 * Proves subjects on all cores.
 * @param onProof called when each proof is done
 * @returns the proofs in the order of the subjects
 * @throws Error when a subject could not be proven at all
 */
export async function proveAll(
  subjects: readonly ReceiverBuild[],
  onProof: (proof: Proof) => void,
): Promise<Proof[]> {
  const queue = [...subjects];
  const done = new Map<string, Proof>();
  const work = async (): Promise<void> => {
    const worker = new Worker(new URL("./worker.js", import.meta.url));
    try {
      for (let subject = queue.shift(); subject; subject = queue.shift()) {
        const proof = await ask(worker, subject);
        done.set(key(subject), proof);
        onProof(proof);
      }
    } finally {
      await worker.terminate();
    }
  };
  await Promise.all(Array.from({ length: WORKERS_PER_CORE * availableParallelism() }, work));
  return subjects.flatMap((subject) => done.get(key(subject)) ?? []);
}

function ask(worker: Worker, subject: ReceiverBuild): Promise<Proof> {
  return new Promise((resolve, reject) => {
    worker.once("error", reject);
    worker.once("message", (answer: Answer) => {
      worker.off("error", reject);
      if ("proof" in answer) resolve(answer.proof);
      else reject(new Error(`${key(answer.subject)}: ${answer.error}`));
    });
    worker.postMessage(subject);
  });
}

function key({ kind, name }: ReceiverBuild): string {
  return `${kind} ${name}`;
}
