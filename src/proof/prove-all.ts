import { once } from "node:events";
import { availableParallelism } from "node:os";
import { MessageChannel, Worker } from "node:worker_threads";

import PQueue from "p-queue";

import { FAULTS, isOfServer, VARIANTS } from "../reference/index.ts";
import type { CleanRun, ServerRun } from "./clean-run.ts";
import type { PackProof, PackSubject } from "./prove-pack.ts";
import type { Proof, ReceiverBuild } from "./prove.ts";

/** What is to be proven: a build by the contract's rules, or a subject by those of the pack. */
export type Task = { readonly build: ReceiverBuild } | { readonly ofPack: PackSubject };

/** What a worker is told before it proves builds by the cases that each can change. */
export interface Comparison {
  readonly clean: readonly [CleanRun, ServerRun];
  /** What the samples depend on. */
  readonly draw: string;
}

/** What a worker answers to a task: a `Proof` for a build, a `PackProof` for a subject of the pack. */
export type Answer<Proven = Proof | PackProof> =
  | { readonly proof: Proven }
  | { readonly error: string };

/** What is to be proven, and how. */
export interface ToProve {
  readonly builds: readonly ReceiverBuild[];
  readonly ofPack: readonly PackSubject[];
  /**
   * Makes what builds are compared with, so that only the cases run that a build can change; see `provePart`. Default: all cases of each
   * build run.
   */
  readonly compareWith?: (() => Promise<Comparison>) | undefined;
  /** Called when a build is proven. */
  readonly onProof: (proof: Proof) => void;
}

/** A proof waits for half of its time until a token expires, so a worker proves several at once. */
const PROOFS_PER_WORKER = 4;
/** Several runs at once keep more than fits into the usual young generation: to collect that takes a tenth of the CPU time. */
const YOUNG_GENERATION_MB = 256;

/**
 * Proves subjects of the pack and then builds, with a worker on each core, each in a receiver of its own. What builds are compared with is
 * made beside the proofs of the pack.
 * @returns their proofs, in the same order
 * @throws Error when a build could not be proven at all
 */
export async function proveAll({
  builds,
  ofPack,
  compareWith,
  onProof,
}: ToProve): Promise<{ proofs: readonly Proof[]; packProofs: readonly PackProof[] }> {
  const workers = Array.from(
    { length: availableParallelism() },
    () =>
      new Worker(new URL("./worker.js", import.meta.url), {
        resourceLimits: { maxYoungGenerationSizeMb: YOUNG_GENERATION_MB },
      }),
  );
  const free = Array.from({ length: PROOFS_PER_WORKER }, () => workers).flat();
  const queue = new PQueue({ concurrency: free.length });
  const proveOne = async <Proven>(task: Task): Promise<Proven> => {
    const worker = free.shift() as Worker;
    try {
      return await ask<Proven>(worker, task);
    } finally {
      free.push(worker);
    }
  };
  const proofs = new Map<ReceiverBuild, Proof>();
  const proveBuild = async (build: ReceiverBuild): Promise<void> => {
    const proof = await proveOne<Proof>({ build });
    proofs.set(build, proof);
    onProof(proof);
  };
  const proveBuilds = async (): Promise<void> => {
    const comparison = await compareWith?.();
    for (const worker of workers) worker.postMessage({ comparison });
    await queue.addAll(serversLast(builds).map((build) => () => proveBuild(build)));
  };
  try {
    const [packProofs] = await Promise.all([
      queue.addAll(ofPack.map((subject) => () => proveOne<PackProof>({ ofPack: subject }))),
      proveBuilds(),
    ]);
    return { proofs: builds.flatMap((build) => proofs.get(build) ?? []), packProofs };
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

async function ask<Proven>(worker: Worker, task: Task): Promise<Proven> {
  const { port1: ours, port2: theirs } = new MessageChannel();
  try {
    worker.postMessage({ task, port: theirs }, [theirs]);
    // The port closes when the worker ends.
    const heard = await Promise.race([once(ours, "message"), once(ours, "close")]);
    const [answer = { error: "its worker ended" }] = heard as [Answer<Proven>?];
    if ("proof" in answer) return answer.proof;
    throw new Error(`${JSON.stringify(task)}: ${answer.error}`);
  } finally {
    ours.close();
  }
}
