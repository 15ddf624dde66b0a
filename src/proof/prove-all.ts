import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";

import PQueue from "p-queue";

import type { Proof, ReceiverBuild } from "./prove.ts";

/** What is to be proven. */
export interface Task {
  readonly subject: ReceiverBuild;
  /** Only whether this rule catches the fault; see `proveCaught`. Default: every rule. */
  readonly rule?: string | undefined;
}

/**
 * Proves tasks.
 * @param priority tasks with a higher one are begun first; default 0
 * @returns their proofs, in the same order
 */
export type ProveAll = (tasks: readonly Task[], priority?: number) => Promise<readonly Proof[]>;

/** What a worker answers to a task. */
export type Answer = { readonly proof: Proof } | { readonly error: string };

/** A proof waits for half of its time until a token expires, so a worker proves several at once. */
const PROOFS_PER_WORKER = 4;

/**
 * Starts a worker on each core, and ends them when the work is done.
 * @param work gets the function that proves tasks; what it asks for at once is proven side by side
 * @param onProof called when each proof is done
 * @throws Error when a subject could not be proven at all
 */
export async function withProvers<Result>(
  work: (prove: ProveAll) => Promise<Result>,
  onProof: (proof: Proof) => void,
): Promise<Result> {
  const workers = Array.from(
    { length: availableParallelism() },
    () => new Worker(new URL("./worker.js", import.meta.url)),
  );
  const free = Array.from({ length: PROOFS_PER_WORKER }, () => workers).flat();
  const queue = new PQueue({ concurrency: free.length });
  const proveOne = async (task: Task): Promise<Proof> => {
    const worker = free.shift() as Worker;
    try {
      const proof = await ask(worker, task);
      onProof(proof);
      return proof;
    } finally {
      free.push(worker);
    }
  };
  try {
    return await work((tasks, priority = 0) =>
      queue.addAll(
        tasks.map((task) => () => proveOne(task)),
        { priority },
      ),
    );
  } finally {
    queue.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

async function ask(worker: Worker, task: Task): Promise<Proof> {
  const { port1: ours, port2: theirs } = new MessageChannel();
  try {
    worker.postMessage({ task, port: theirs }, [theirs]);
    // The port closes when the worker ends.
    const heard = await Promise.race([once(ours, "message"), once(ours, "close")]);
    const [answer = { error: "its worker ended" }] = heard as [Answer?];
    if ("proof" in answer) return answer.proof;
    throw new Error(`${task.subject.kind} ${task.subject.name}: ${answer.error}`);
  } finally {
    ours.close();
  }
}
