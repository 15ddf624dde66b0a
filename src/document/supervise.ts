import { Worker } from "node:worker_threads";

import PQueue from "p-queue";

import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { Interrupted } from "../http/rate-limiter.ts";
import { type ErrorCode, SuiteError } from "../lib/errors.ts";
import {
  type ComparedAnswer,
  type DeploymentDocument,
  DocumentLimit,
} from "../profile/document.ts";
import type { DocumentInput, PartText, ReadText } from "./load.ts";

/** What a document may take. */
export interface DocumentLimits {
  /** Of each thing that is asked about it, to read it being one; default 30 000. */
  readonly milliseconds: number;
  /** Of memory, in MiB; default 96. */
  readonly mebibytes: number;
}

const LIMITS: DocumentLimits = { milliseconds: 30_000, mebibytes: 96 };
/** What has just been made, and mostly is of no use a moment later. */
const YOUNG_MEBIBYTES = 6;
/** So often a document may exceed them; then nothing more is asked about it. */
const MOST_EXCESSES = 3;

/** An answer as it goes to the worker: its `json` was read. */
export type SentAnswer = Omit<ComparedAnswer, "json"> & { readonly json: unknown };

/** What is asked about a document. */
export type Question =
  | { readonly name: "open" | "problems" }
  | { readonly name: "errorResponses" | "pageParameters"; readonly operation: OperationId }
  | { readonly name: "compare"; readonly operation: OperationId; readonly answer: SentAnswer };

/** What the worker is told: a question, or the text that it asked for. */
export type ToWorker = { readonly question: Question } | { readonly part: PartText };

/** What the worker says: an answer, that it needs a text, or why it has no answer. */
export type FromWorker =
  | { readonly answer: unknown }
  | { readonly read: Parameters<ReadText> }
  | {
      readonly refused: {
        readonly code: ErrorCode;
        readonly message: string;
        readonly hint: string | undefined;
      };
    }
  | { readonly limit: string }
  | { readonly failed: string };

/** What is known of a document as soon as it is read. */
export type Opened = Pick<DeploymentDocument, "operations" | "authorizationUrls" | "gaps">;

/**
 * Reads a document in a worker thread, which is ended when it takes too long or too much memory, and
 * started anew for what is asked next.
 * @param signal ends the worker, and everything that waits for it, at once
 * @returns a document whose `unread` says so where reading it exceeds the limits
 * @throws SuiteError when it cannot be read, or is no OpenAPI document
 * @throws Interrupted
 */
export async function superviseDocument(
  input: DocumentInput,
  read: ReadText,
  {
    signal,
    limits = LIMITS,
  }: {
    readonly signal?: AbortSignal | undefined;
    readonly limits?: DocumentLimits | undefined;
  } = {},
): Promise<DeploymentDocument> {
  const queue = new PQueue({ concurrency: 1 });
  // Its own: runs side by side may have one signal, and each would listen to that.
  const stop = signal && AbortSignal.any([signal]);
  let worker: Worker | undefined;
  let excesses = 0;
  let lastExcess = "";

  /** @param makeQuestion makes the question when it is its turn, so that what waits is no more than it is made of */
  const ask = <T>(makeQuestion: () => Question): Promise<T> =>
    queue.add(async () => {
      if (excesses >= MOST_EXCESSES) throw new DocumentLimit(lastExcess);
      const question = makeQuestion();
      if (!worker) {
        worker = startWorker(input, limits);
        if (question.name !== "open") await talk(worker, { name: "open" });
      }
      return (await talk(worker, question)) as T;
    });

  async function talk(current: Worker, question: Question): Promise<unknown> {
    try {
      return await converse(current, question, read, limits, stop);
    } catch (error) {
      if (error instanceof DocumentLimit) {
        excesses += 1;
        lastExcess = error.message;
      }
      await end();
      throw error;
    }
  }

  async function end(): Promise<void> {
    const ended = worker;
    worker = undefined;
    await ended?.terminate();
  }

  try {
    const opened = await ask<Opened>(() => ({ name: "open" }));
    let problems: Promise<readonly string[]> | undefined;
    return {
      ...opened,
      problems: () => (problems ??= ask(() => ({ name: "problems" }))),
      compare: (operation, { status, headers, cut, hasBody, json }) => {
        const type = headers["content-type"];
        return ask(() => ({
          name: "compare",
          operation,
          answer: {
            status,
            headers: type === undefined ? {} : { "content-type": type },
            cut,
            hasBody,
            json: json(),
          },
        }));
      },
      errorResponses: (operation) => ask(() => ({ name: "errorResponses", operation })),
      pageParameters: (operation) => ask(() => ({ name: "pageParameters", operation })),
      close: end,
    };
  } catch (error) {
    await end();
    if (error instanceof DocumentLimit) return unread(error.message);
    throw error;
  }
}

function startWorker(input: DocumentInput, { mebibytes }: DocumentLimits): Worker {
  // Beside this file, in `src` as in `dist`.
  const file = new URL(`./worker${import.meta.url.slice(-3)}`, import.meta.url);
  const worker = new Worker(file, {
    workerData: input,
    // It needs nothing of the environment, where secrets are.
    env: {},
    resourceLimits: {
      maxOldGenerationSizeMb: mebibytes,
      maxYoungGenerationSizeMb: YOUNG_MEBIBYTES,
    },
  });
  // While nothing is asked it keeps no process alive.
  worker.unref();
  worker.on("error", () => undefined);
  return worker;
}

/** Asks one thing, and brings the texts that it takes; the time in which they are read does not count. */
function converse(
  worker: Worker,
  question: Question,
  read: ReadText,
  { milliseconds, mebibytes }: DocumentLimits,
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    let timer: NodeJS.Timeout | undefined;
    let over = false;

    function settle(end: () => void): void {
      over = true;
      clearTimeout(timer);
      worker.off("message", hear).off("error", crash).off("exit", interrupt).unref();
      signal?.removeEventListener("abort", interrupt);
      end();
    }
    const refuse = (error: unknown): void => settle(() => reject(error));
    const exceed = (what: string): void => refuse(new DocumentLimit(`the document ${what}`));
    const interrupt = (): void => refuse(new Interrupted());
    function crash(error: Error & { readonly code?: string }): void {
      if (error.code === "ERR_WORKER_OUT_OF_MEMORY") exceed(`takes more than ${mebibytes} MiB`);
      else refuse(error);
    }
    function tell(message: ToWorker): void {
      if (over) return;
      worker.postMessage(message);
      timer = setTimeout(() => exceed(`takes more than ${milliseconds / 1000} s`), milliseconds);
    }
    function hear(message: FromWorker): void {
      clearTimeout(timer);
      if ("read" in message) read(...message.read).then((part) => tell({ part }), refuse);
      else if ("answer" in message) settle(() => resolve(message.answer));
      else if ("limit" in message) exceed(message.limit);
      else if ("refused" in message) {
        const { code, message: what, hint } = message.refused;
        refuse(new SuiteError(code, what, hint === undefined ? {} : { hint }));
      } else refuse(new Error(message.failed));
    }

    // It ends without an answer where the document is closed before it has one.
    worker.on("message", hear).on("error", crash).on("exit", interrupt).ref();
    signal?.addEventListener("abort", interrupt);
    if (signal?.aborted) interrupt();
    else tell({ question });
  });
}

/** A document of which nothing is known, and why. */
function unread(reason: string): DeploymentDocument {
  const nothing = Object.fromEntries(OPERATION_IDS.map((id) => [id, undefined])) as Record<
    OperationId,
    undefined
  >;
  const refuse = (): Promise<never> => Promise.reject(new DocumentLimit(reason));
  return {
    unread: reason,
    operations: nothing,
    authorizationUrls: [],
    gaps: nothing,
    problems: refuse,
    compare: refuse,
    errorResponses: refuse,
    pageParameters: refuse,
    close: () => Promise.resolve(),
  };
}
