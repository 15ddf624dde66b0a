import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { compareWithDocument } from "../probe/openapi/documented-answer.ts";
import type { DeploymentDocument, DescribedDocument } from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Target } from "../profile/target.ts";
import { assemble } from "./assemble.ts";
import { describeDocument } from "./describe.ts";
import { errorResponses } from "./error-responses.ts";
import { toldOf } from "./gaps.ts";
import type { Dialect } from "./json-schema.ts";
import { pageParameters } from "./page-parameters.ts";
import { parseSource } from "./parse.ts";
import { refuseReference } from "./refusal.ts";
import { validityProblems } from "./validity.ts";

/** What is needed to read a document beside its text: nothing of it is secret. */
export interface DocumentInput {
  readonly basePath: string;
  readonly operations: Target["operations"];
}

/** The text of a document or a part of it; see `partReader`. */
export interface PartText {
  /** Its real path or URL. */
  readonly id: string;
  /** What messages call it. */
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a part.
 * @param reference a reference without its fragment; absent for the document itself
 * @param from id of the part that it stands in
 * @throws SuiteError when it may not or cannot be read
 */
export type ReadText = (reference?: string, from?: string) => Promise<PartText>;

/** A document that was read, for whoever may be blocked by it. */
export interface ReadDocument extends DescribedDocument {
  /** See `DeploymentDocument.problems`. */
  problems(): Promise<readonly string[]>;
}

/**
 * Reads an OpenAPI document, 3.0 or 3.1, in this thread: for as long as the document likes.
 * What looks like a reference in an example is none.
 * A document that can be read but is not valid is a document: its `problems` say so.
 * @param basePath path of the base URL
 * @throws SuiteError when it cannot be read, or is no OpenAPI document of these versions
 */
export async function readDocument(basePath: string, read: ReadText): Promise<ReadDocument> {
  const { id, name, text } = await read();
  const value = parseSource(text, name);
  const dialect = dialectOf(value, name);
  if (!isObject(value)) throw new TypeError("a document of a known version is an object");
  const parts = new Map<string, unknown>();
  const { root, references } = await assemble(
    { id, value },
    async (reference, from) => {
      const part = await read(reference, from);
      if (!parts.has(part.id)) parts.set(part.id, parseSource(part.text, part.name));
      return { id: part.id, value: parts.get(part.id) };
    },
    refuseReference,
  );
  let problems: Promise<readonly string[]> | undefined;
  return {
    ...describeDocument(root, dialect, basePath),
    problems: () => (problems ??= validityProblems(root, dialect, references)),
  };
}

function byOperation<T>(make: (id: OperationId) => T): Readonly<Record<OperationId, T>> {
  return Object.fromEntries(OPERATION_IDS.map((id) => [id, make(id)])) as Record<OperationId, T>;
}

/** What fails does so in the promise. */
function answering<A extends readonly unknown[], T>(
  answer: (...args: A) => T,
): (...args: A) => Promise<T> {
  // oxlint-disable-next-line require-await -- so that it throws nothing
  return async (...args) => answer(...args);
}

/**
 * Answers what a run asks about a document, in this thread.
 * @param operations what the profile says of them
 */
export function answerable(
  described: ReadDocument,
  operations: Target["operations"],
): DeploymentDocument {
  return {
    operations: byOperation((id) => {
      const documented = described.operations[id];
      return documented && { path: documented.path, security: documented.security };
    }),
    authorizationUrls: described.authorizationUrls,
    gaps: byOperation((id): OperationProfile | undefined => {
      const [profile, documented] = [operations[id], described.operations[id]];
      return profile && documented && toldOf(id, profile, documented);
    }),
    compare: answering((id, answer) => {
      const documented = described.operations[id];
      return documented && compareWithDocument(documented, answer);
    }),
    errorResponses: answering((id) => errorResponses(described.operations[id])),
    pageParameters: answering((id) => pageParameters(described.operations[id])),
    problems: () => described.problems(),
    close: () => Promise.resolve(),
  };
}

function dialectOf(read: unknown, name: string): Dialect {
  const version = isObject(read) ? (read["openapi"] ?? read["swagger"]) : undefined;
  const [, dialect] = /^(3\.[01])(?:\.\d+)?$/.exec(String(version)) ?? [];
  if (dialect === "3.0" || dialect === "3.1") return dialect;
  const is =
    version === undefined
      ? "is no OpenAPI document: it has no member `openapi` that says its version"
      : `is of OpenAPI ${JSON.stringify(version).slice(0, 20)}`;
  throw new SuiteError("ERR_DOCUMENT", `${name} ${is}`, {
    hint: "`openapi` in the profile names a document of OpenAPI 3.0 or 3.1.",
  });
}
