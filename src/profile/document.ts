import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { OperationProfile } from "./operation.ts";

/** A JSON Schema, draft 2020-12, that is an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The part of the deployment's own OpenAPI document that describes the six routes. It is untrusted,
 * so it is read and applied where it can neither block nor exhaust the run.
 * @throws DocumentLimit from its functions, where it exceeds its limits of time and memory
 * @throws Interrupted from its functions, once the run is interrupted
 */
export interface DeploymentDocument {
  /** Why the document could not be read within its limits, as a phrase. */
  readonly unread?: string | undefined;
  /** `undefined` for a route that it lacks. */
  readonly operations: Readonly<Record<OperationId, DocumentedRoute | undefined>>;
  /** URLs of its OAuth 2.0 flows and OpenID Connect schemes, with their place in the document. */
  readonly authorizationUrls: readonly DocumentedUrl[];
  /** Name of the pack for the published protocol that it says it describes. */
  readonly protocol: string | undefined;
  /** Its references that could not be followed, each once. What they stand for is not judged. */
  readonly unresolved: readonly UnresolvedReference[];
  /** What it says of operations where the contract is silent. */
  readonly gaps: Readonly<Record<OperationId, OperationProfile | undefined>>;
  /** Why it is not valid OpenAPI, one phrase each; empty when it is. Computed once, on demand. */
  problems(): Promise<readonly string[]>;
  /** Compares an answer with the document; see `compareWithDocument`. */
  compare(operation: OperationId, answer: ComparedAnswer): Promise<DocumentedAnswer | undefined>;
  /** How its error responses differ from the Error body, for each status that requires one. */
  errorResponses(operation: OperationId): Promise<readonly DocumentedErrorResponse[]>;
  /** How its `page` and `pageSize` differ from the contract's. */
  pageParameters(operation: OperationId): Promise<DocumentedPageParameters>;
  /** Frees its resources. A later call starts anew. */
  close(): void;
}

/** The document exceeds its limits of time and memory, so the question cannot be answered. */
export class DocumentLimit extends Error {
  override readonly name = "DocumentLimit";
}

export type DocumentedRoute = Pick<DocumentedOperation, "path" | "security">;

export interface DocumentedUrl {
  readonly where: string;
  readonly url: string;
}

/** A reference of a document that leads nowhere, or to what may not or cannot be read. */
export interface UnresolvedReference {
  /** What it stands for: `schema`, `pathItem`, `response`, …. */
  readonly kind: string;
  /** Which one it is, and why, as a sentence. */
  readonly problem: string;
}

export type ComparedAnswer = Pick<Reply, "status" | "headers" | "hasBody" | "cut" | "json">;

export interface DocumentedAnswer {
  /** A success, an error that the document declares, or one that it does not declare. */
  readonly part: "success" | "error" | "undeclared";
  /** How the answer differs, as a phrase without values of the answer. Absent when it does not. */
  readonly problem?: string | undefined;
  /** Why the body could not be compared, as a phrase. */
  readonly unusable?: string | undefined;
  /** Patterns that the body was not compared with. */
  readonly unjudged?: readonly string[] | undefined;
}

export interface DocumentedErrorResponse {
  /** A status, a range or `default`. */
  readonly code: string;
  readonly problem: string | undefined;
}

export interface DocumentedPageParameters {
  /** A reference in the place of one of them that could not be followed. */
  readonly unresolved?: string | undefined;
  /** Whether the document has one of the two parameters. */
  readonly present: boolean;
  readonly problems: readonly string[];
}

export interface DescribedDocument {
  readonly operations: Readonly<Record<OperationId, DocumentedOperation | undefined>>;
  readonly authorizationUrls: readonly DocumentedUrl[];
  readonly protocol: string | undefined;
}

export interface DocumentedOperation {
  /** The path template of the document, including its own prefix. */
  readonly path: string;
  readonly query: ReadonlyMap<string, DocumentedParameter>;
  /** A reference among its parameters that could not be followed. */
  readonly unresolvedParameter?: string | undefined;
  /** Request bodies by media type, in lower case and without parameters, in the document's order. */
  readonly body: ReadonlyMap<string, DocumentedMedia>;
  /** By status (`200`), range (`4XX`) or `default`. */
  readonly responses: ReadonlyMap<string, DocumentedResponse>;
  /** Alternative sets of security schemes, of each of which all are needed; empty without any. */
  readonly security: readonly (readonly DocumentedScheme[])[];
}

/** Bodies by media type, as in `DocumentedOperation.body`; empty when the document shows none. */
export type DocumentedResponse = ReadonlyMap<string, DocumentedMedia>;

export interface DocumentedParameter {
  readonly required: boolean;
  readonly schema: DocumentedSchema | undefined;
}

export interface DocumentedMedia {
  readonly schema: DocumentedSchema | undefined;
  /** Examples of the whole body: those of the media type, then those of the schema. */
  readonly examples: readonly unknown[];
}

export interface DocumentedScheme {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** A schema, translated from the document's dialect. It is compiled on first use. */
export interface DocumentedSchema {
  /** Why it cannot be used, and judges no value, as a phrase; `undefined` when it can. */
  readonly unusable: string | undefined;
  /** Patterns in it that the suite cannot apply, and ignores. */
  readonly unjudged: readonly string[];
  /**
   * The schema's keywords, merged with those of `$ref`, `allOf` and the first of `anyOf` and `oneOf`.
   * Its `properties` may still contain references.
   */
  readonly merged: JsonSchema;
  /** The merged keywords of a schema inside it. */
  mergedPart(part: unknown): JsonSchema;
  /** What is wrong with a value: a JSON Pointer and a phrase; `undefined` when nothing is. */
  problem(value: unknown): string | undefined;
  /** A small value that it allows; `undefined` when none is found. */
  smallest(): unknown;
}
