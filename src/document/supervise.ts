import type { Worker } from "node:worker_threads";

import PQueue from "p-queue";

import { byOperation, type OperationId } from "../contract/operations.ts";
import { Interrupted } from "../http/persistence/rate-limiter.ts";
import { SuiteError } from "../lib/errors.ts";
import {
  type ComparedAnswer,
  type DeploymentDocument,
  DocumentLimit,
} from "../profile/document.ts";
import type { DocumentInput, PartText, ReadText } from "./load.ts";
import { receivedError, sent, type SentError } from "./sent-error.ts";
import { DOCUMENT_MEBIBYTES, startThread } from "./thread.ts";

/** The limits for a document. */
export interface DocumentLimits {
  /** Time for reading it and for all questions about it together; the question whether it is valid has half of it. Default 15 000. */
  readonly milliseconds: number;
  /** Memory in MiB; default 96. */
  readonly mebibytes: number;
}

const LIMITS: DocumentLimits = { milliseconds: 15_000, mebibytes: DOCUMENT_MEBIBYTES };
/** After exceeding a limit this often, a document is asked nothing more. */
const MOST_EXCESSES = 3;

export interface SuperviseOptions {
  /** Aborts everything about the document. */
  readonly signal?: AbortSignal | undefined;
  readonly limits?: DocumentLimits | undefined;
  /** A thread that reads it; default, also for one that has ended: it is started when there is a document to read. */
  readonly thread?: Worker | undefined;
}

/** An answer as it is sent to the worker; its `json` is already parsed. */
export type SentAnswer = Omit<ComparedAnswer, "json"> & { readonly json: unknown };

/** The time that a document has taken so far. */
interface Spent {
  milliseconds: number;
}

/** A question about a document. */
export type Question =
  | { readonly name: "open"; readonly input: DocumentInput }
  | { readonly name: "problems" }
  | { readonly name: "errorResponses" | "pageParameters"; readonly operation: OperationId }
  | { readonly name: "compare"; readonly operation: OperationId; readonly answer: SentAnswer };

/** A message to the worker: a question, a text that it asked for, or why it cannot have the text. */
export type ToWorker =
  | { readonly question: Question }
  | { readonly part: PartText }
  | { readonly unread: SentError };

/** A message from the worker: an answer, a request for a text, or why it has no answer. */
export type FromWorker =
  | { readonly answer: unknown }
  | { readonly read: Parameters<ReadText> }
  | { readonly refused: SentError }
  | { readonly limit: string }
  | { readonly failed: string };

/** What is known of a document once it is read. */
export type Opened = Pick<
  DeploymentDocument,
  "operations" | "authorizationUrls" | "protocol" | "unresolved" | "gaps"
>;

/**
 * Reads a document in a worker thread. The thread is ended when it exceeds a limit of time or memory, and a
 * new one is started for the next question.
 * @returns a document; `unread` gives the reason if reading it exceeds the limits
 * @throws SuiteError when it cannot be read, or is not an OpenAPI document
 * @throws Interrupted when the signal aborts
 */
export async function superviseDocument(
  input: DocumentInput,
  read: ReadText,
  { signal, limits = LIMITS, thread }: SuperviseOptions,
): Promise<DeploymentDocument> {
  const queue = new PQueue({ concurrency: 1 });
  // A separate signal, because several runs may share one and each would add listeners to it.
  const stop = signal && AbortSignal.any([signal]);
  let worker = hasEnded(thread) ? undefined : thread;
  let isOpen = false;
  let excesses = 0;
  const spent = { milliseconds: 0 };
  let lastExcess = "";

  /**
   * @param makeQuestion makes the question when its turn comes, so that waiting questions take no memory
   */
  const ask = <T>(makeQuestion: () => Question): Promise<T> =>
    queue.add(async () => {
      if (excesses >= MOST_EXCESSES) throw new DocumentLimit(lastExcess);
      const question = makeQuestion();
      worker ??= startThread(limits.mebibytes);
      if (!isOpen && question.name !== "open") await talk(worker, { name: "open", input });
      isOpen = true;
      return (await talk(worker, question)) as T;
    });

  async function talk(current: Worker, question: Question): Promise<unknown> {
    try {
      return await converse(current, question, read, { ...limits, spent }, stop);
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
    isOpen = false;
    await ended?.terminate();
  }

  try {
    const opened = await ask<Opened>(() => ({ name: "open", input }));
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
      close: () => void end(),
    };
  } catch (error) {
    await end();
    if (error instanceof DocumentLimit) return unread(error.message);
    throw error;
  }
}

/** Such as a thread that could not start. The next one says why. */
function hasEnded(thread: Worker | undefined): boolean {
  return thread?.threadId === -1;
}

/** Asks one question, and supplies the texts that it needs; to read them does not count. */
function converse(
  worker: Worker,
  question: Question,
  read: ReadText,
  { milliseconds, mebibytes, spent }: DocumentLimits & { readonly spent: Spent },
  signal: AbortSignal | undefined,
): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const mostMs = question.name === "problems" ? milliseconds / 2 : milliseconds;
    let timer: NodeJS.Timeout | undefined;
    let beganMs: number | undefined;
    let over = false;

    function pause(): void {
      clearTimeout(timer);
      if (beganMs !== undefined) spent.milliseconds += performance.now() - beganMs;
      beganMs = undefined;
    }
    function settle(end: () => void): void {
      over = true;
      pause();
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
      const leftMs = milliseconds - spent.milliseconds;
      const tooLong = (): void => exceed(`takes more than ${mostMs / 1000} s`);
      if (leftMs <= 0) {
        tooLong();
        return;
      }
      worker.postMessage(message);
      beganMs = performance.now();
      timer = setTimeout(tooLong, Math.min(mostMs, leftMs));
    }
    async function supply(reference: Parameters<ReadText>): Promise<void> {
      try {
        tell({ part: await read(...reference) });
      } catch (error) {
        // The document itself must be read. A part of it may be missing.
        if (reference[0] !== undefined && error instanceof SuiteError)
          tell({ unread: sent(error) });
        else refuse(error);
      }
    }
    function hear(message: FromWorker): void {
      pause();
      if ("read" in message) void supply(message.read);
      else if ("answer" in message) settle(() => resolve(message.answer));
      else if ("limit" in message) refuse(new DocumentLimit(message.limit));
      else if ("refused" in message) refuse(receivedError(message.refused));
      else refuse(new Error(message.failed));
    }

    // The worker exits without an answer when the document is closed first.
    worker.on("message", hear).on("error", crash).on("exit", interrupt).ref();
    signal?.addEventListener("abort", interrupt);
    if (signal?.aborted) interrupt();
    else tell({ question });
  });
}

/** A document that could not be read, and why. */
function unread(reason: string): DeploymentDocument {
  const nothing = byOperation(() => undefined);
  const refuse = (): Promise<never> => Promise.reject(new DocumentLimit(reason));
  return {
    unread: reason,
    operations: nothing,
    authorizationUrls: [],
    protocol: undefined,
    unresolved: [],
    gaps: nothing,
    problems: refuse,
    compare: refuse,
    errorResponses: refuse,
    pageParameters: refuse,
    close: () => undefined,
  };
}
