import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";

import PQueue from "p-queue";

import { FAULTS, isOfServer, VARIANTS } from "../reference/index.ts";
import type { CleanRun, ServerRun } from "./clean-run.ts";
import type { Proof, ReceiverBuild } from "./prove.ts";

/** What is to be proven. */
export type Task = ReceiverBuild;

/** What a worker answers to a task. */
export type Answer = { readonly proof: Proof } | { readonly error: string };

/** How builds are proven. */
export interface HowToProve {
  /** Only the cases that a build can change run; see `provePart`. Default: all cases of each build. */
  readonly clean?: readonly [CleanRun, ServerRun] | undefined;
  /** What the samples depend on. */
  readonly draw: string;
  /** Called when a proof is done. */
  readonly onProof: (proof: Proof) => void;
}

/** A proof waits for half of its time until a token expires, so a worker proves several at once. */
const PROOFS_PER_WORKER = 4;

/**
 * Proves builds, with a worker on each core, each in a receiver of its own.
 * @returns their proofs, in the same order
 * @throws Error when a build could not be proven at all
 */
export async function proveAll(
  builds: readonly ReceiverBuild[],
  { clean, draw, onProof }: HowToProve,
): Promise<readonly Proof[]> {
  const workers = Array.from(
    { length: availableParallelism() },
    () => new Worker(new URL("./worker.js", import.meta.url), { workerData: { clean, draw } }),
  );
  const free = Array.from({ length: PROOFS_PER_WORKER }, () => workers).flat();
  const queue = new PQueue({ concurrency: free.length });
  const proveOne = async (build: ReceiverBuild): Promise<Proof> => {
    const worker = free.shift() as Worker;
    try {
      const proof = await ask(worker, build);
      onProof(proof);
      return proof;
    } finally {
      free.push(worker);
    }
  };
  try {
    const proofs = new Map<ReceiverBuild, Proof>();
    const proveAndKeep = async (build: ReceiverBuild): Promise<void> => {
      proofs.set(build, await proveOne(build));
    };
    await queue.addAll(serversLast(builds).map((build) => () => proveAndKeep(build)));
    return builds.flatMap((build) => proofs.get(build) ?? []);
  } finally {
    queue.clear();
    await Promise.all(workers.map((worker) => worker.terminate()));
  }
}

/** The library of the authorization server tracks every promise of a worker from then on, which makes all that follows slower. */
function serversLast(builds: readonly ReceiverBuild[]): readonly ReceiverBuild[] {
  const ofServer = new Set([
    ...FAULTS.filter(isOfServer).map(({ name }) => name),
    ...VARIANTS.filter(({ server }) => server).map(({ name }) => name),
  ]);
  return builds.toSorted((a, b) => Number(ofServer.has(a.name)) - Number(ofServer.has(b.name)));
}

async function ask(worker: Worker, task: Task): Promise<Proof> {
  const { port1: ours, port2: theirs } = new MessageChannel();
  try {
    worker.postMessage({ task, port: theirs }, [theirs]);
    // The port closes when the worker ends.
    const heard = await Promise.race([once(ours, "message"), once(ours, "close")]);
    const [answer = { error: "its worker ended" }] = heard as [Answer?];
    if ("proof" in answer) return answer.proof;
    throw new Error(`${task.kind} ${task.name}: ${answer.error}`);
  } finally {
    ours.close();
  }
}
