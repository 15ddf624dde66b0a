import { byOperation } from "../contract/operations.ts";
import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import {
  type DeploymentDocument,
  type DescribedDocument,
  DocumentLimit,
} from "../profile/document.ts";
import type { OperationProfile } from "../profile/operation.ts";
import type { Target } from "../profile/target.ts";
import { assemble } from "./assemble.ts";
import { compareWithDocument } from "./compare.ts";
import { describeDocument } from "./describe.ts";
import { errorResponses } from "./error-model.ts";
import { toldOf } from "./gaps.ts";
import type { Dialect } from "./json-schema.ts";
import { pageParameters } from "./page-parameters.ts";
import { parseSource } from "./parse.ts";
import { validityProblems } from "./validity.ts";

/** The parts of a target that reading a document needs besides its text. None of them is secret. */
export interface DocumentInput {
  readonly basePath: string;
  readonly operations: Target["operations"];
}

/** The text of a document or of a part of it; see `partReader`. */
export interface PartText {
  /** Its real path or URL. */
  readonly id: string;
  /** Its name in messages. */
  readonly name: string;
  readonly text: string;
}

/**
 * Reads a part.
 * @param reference a reference without its fragment; absent for the document itself
 * @param from id of the part that contains the reference
 * @throws SuiteError when the part may not or cannot be read
 */
export type ReadText = (reference?: string, from?: string) => Promise<PartText>;

/** A document that was read in this thread, without limits. */
export interface ReadDocument extends DescribedDocument, Pick<DeploymentDocument, "unresolved"> {
  /** See `DeploymentDocument.problems`. */
  problems(): Promise<readonly string[]>;
}

/**
 * Reads an OpenAPI document, 3.0 or 3.1, in this thread, without a time limit. References in examples do
 * not count. Those that cannot be resolved leave their part undescribed. A document that is readable but not valid is returned; `problems` lists what is wrong.
 * @param basePath path of the base URL
 * @throws SuiteError when it cannot be read, or is not an OpenAPI document
 * @throws DocumentLimit when it is too large, or of a later version
 */
export async function readDocument(basePath: string, read: ReadText): Promise<ReadDocument> {
  const { id, name, text } = await read();
  const value = await parseSource(text, name);
  const dialect = dialectOf(value, name);
  if (!isObject(value)) throw new TypeError("a document with a known version is an object");
  const parts = new Map<string, unknown>();
  const { root, references, unresolved } = await assemble(
    { id, value },
    async (reference, from) => {
      const part = await read(reference, from);
      if (!parts.has(part.id)) parts.set(part.id, await parseSource(part.text, part.name));
      return { id: part.id, value: parts.get(part.id) };
    },
  );
  const wrong = unresolved.filter(({ isWrong }) => isWrong).map(({ problem }) => problem);
  let problems: Promise<readonly string[]> | undefined;
  return {
    ...describeDocument(root, dialect, basePath),
    unresolved: unresolved.flatMap(({ kind, problem, isWrong }) =>
      isWrong ? [] : [{ kind, problem }],
    ),
    problems: () => (problems ??= validityProblems(root, dialect, references, wrong)),
  };
}

/** Makes a function asynchronous, so that its errors reject the promise. */
function answering<A extends readonly unknown[], T>(
  answer: (...args: A) => T,
): (...args: A) => Promise<T> {
  // oxlint-disable-next-line require-await -- so that it throws nothing
  return async (...args) => answer(...args);
}

/** Answers the questions of a run about a document, in this thread. */
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
    protocol: described.protocol,
    unresolved: described.unresolved,
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
    close: () => undefined,
  };
}

function dialectOf(read: unknown, name: string): Dialect {
  const version = isObject(read) ? (read["openapi"] ?? read["swagger"]) : undefined;
  const [, dialect] = /^(3\.[01])(?:\.\d+)?$/.exec(String(version)) ?? [];
  if (dialect === "3.0" || dialect === "3.1") return dialect;
  const [later] = /^3\.\d+(?:\.\d+)?$/.exec(String(version)) ?? [];
  if (later !== undefined) {
    throw new DocumentLimit(`${name} is written for OpenAPI ${later}, and 3.0 and 3.1 are read`);
  }
  const is =
    version === undefined
      ? "is not an OpenAPI document: it has no member `openapi` with its version"
      : `is written for OpenAPI ${JSON.stringify(version).slice(0, 20)}`;
  throw new SuiteError("ERR_DOCUMENT", `${name} ${is}`, {
    hint: "`openapi` in the profile names a document of OpenAPI 3.0 or 3.1.",
  });
}
