import { parentPort } from "node:worker_threads";

import { SuiteError } from "../lib/errors.ts";
import { type DeploymentDocument, DocumentLimit } from "../profile/document.ts";
import { answerable, type PartText, readDocument, type ReadText } from "./load.ts";
import { receivedError, sent } from "./sent-error.ts";
import type { FromWorker, Question, ToWorker } from "./supervise.ts";

/** Reads a document, then answers questions about it one after another. */
let document: DeploymentDocument | undefined;
let asked: { take(part: PartText): void; miss(error: SuiteError): void } | undefined;

parentPort?.on("message", (message: ToWorker) => {
  if ("part" in message) asked?.take(message.part);
  else if ("unread" in message) asked?.miss(receivedError(message.unread));
  else void reply(message.question);
});

async function reply(question: Question): Promise<void> {
  try {
    say({ answer: await answerTo(question) });
  } catch (error) {
    say(whyNot(error));
  }
}

async function answerTo(question: Question): Promise<unknown> {
  if (question.name === "open") {
    const { basePath, operations: served } = question.input;
    document = answerable(await readDocument(basePath, read), served);
    const { operations, authorizationUrls, protocol, unresolved, gaps } = document;
    return { operations, authorizationUrls, protocol, unresolved, gaps };
  }
  if (!document) throw new Error("the document has not been opened");
  switch (question.name) {
    case "problems":
      return document.problems();
    case "errorResponses":
    case "pageParameters":
      return document[question.name](question.operation);
    case "compare": {
      const { json, ...answer } = question.answer;
      return document.compare(question.operation, { ...answer, json: () => json });
    }
  }
}

function read(...reference: Parameters<ReadText>): Promise<PartText> {
  say({ read: reference });
  return new Promise((take, miss) => {
    asked = { take, miss };
  });
}

function whyNot(error: unknown): FromWorker {
  if (error instanceof SuiteError) {
    return { refused: sent(error) };
  }
  if (error instanceof DocumentLimit) return { limit: error.message };
  // The stack, or the maximum length of a text or an array, was exceeded.
  if (error instanceof RangeError)
    return { limit: "the document is nested too deeply, or too large" };
  return { failed: error instanceof Error ? (error.stack ?? error.message) : String(error) };
}

function say(message: FromWorker): void {
  parentPort?.postMessage(message);
}
