import type { OperationId } from "../contract/operations.ts";
import type { Reply } from "../http/exchange.ts";
import type { OperationProfile } from "./operation.ts";

/** A JSON Schema, draft 2020-12, that is an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * The deployment's own OpenAPI document, as far as it speaks of the six routes. Somebody else wrote it:
 * it is read, and everything is held against it, where it can neither block nor exhaust the run.
 * @throws DocumentLimit from its functions, where it exceeds what it may take of time and memory
 * @throws Interrupted from its functions, once the run is
 */
export interface DeploymentDocument {
  /** Why nothing can be said by it, as a phrase: to read it took too much. */
  readonly unread?: string | undefined;
  /** `undefined` for a route that it does not have. */
  readonly operations: Readonly<Record<OperationId, DocumentedRoute | undefined>>;
  /** URLs of its OAuth 2.0 flows and OpenID Connect schemes, with where they stand. */
  readonly authorizationUrls: readonly DocumentedUrl[];
  /** What it tells of operations beyond the contract. */
  readonly gaps: Readonly<Record<OperationId, OperationProfile | undefined>>;
  /** What keeps it from being valid OpenAPI, a phrase each; empty when it is. Found out once, when asked for. */
  problems(): Promise<readonly string[]>;
  /** Compares an answer with what it says; see `compareWithDocument`. */
  compare(operation: OperationId, answer: ComparedAnswer): Promise<DocumentedAnswer | undefined>;
  /** How what it says of each error for which an Error body is owed differs from one. */
  errorResponses(operation: OperationId): Promise<readonly DocumentedErrorResponse[]>;
  /** How its `page` and `pageSize` differ from the contract's. */
  pageParameters(operation: OperationId): Promise<DocumentedPageParameters>;
  /** Frees what it holds; whatever is asked afterwards begins anew. */
  close(): Promise<void>;
}

/** A document exceeds what it may take of time and memory: what was asked cannot be judged. */
export class DocumentLimit extends Error {
  override readonly name = "DocumentLimit";
}

/** What a document says of a route that needs no schema. */
export type DocumentedRoute = Pick<DocumentedOperation, "path" | "security">;

export interface DocumentedUrl {
  readonly where: string;
  readonly url: string;
}

/** What of an answer is compared with a document. */
export type ComparedAnswer = Pick<Reply, "status" | "headers" | "hasBody" | "cut" | "json">;

/** An answer beside what the document says of it. */
export interface DocumentedAnswer {
  /** A success, an error that the document has, or one that it does not have. */
  readonly part: "success" | "error" | "undeclared";
  /** How the two differ, as a phrase without values of the answer; absent when they do not. */
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
  /** Whether it has one of the two. */
  readonly present: boolean;
  /** A phrase each. */
  readonly problems: readonly string[];
}

/** What a document says of the six operations. */
export interface DescribedDocument {
  readonly operations: Readonly<Record<OperationId, DocumentedOperation | undefined>>;
  readonly authorizationUrls: readonly DocumentedUrl[];
}

export interface DocumentedOperation {
  /** The path's template as the document has it, its own prefix included. */
  readonly path: string;
  /** Query parameters by name. */
  readonly query: ReadonlyMap<string, DocumentedParameter>;
  /** Bodies of the request by media type, in lower case and without parameters, in the document's order. */
  readonly body: ReadonlyMap<string, DocumentedMedia>;
  /** By status (`200`), range (`4XX`) or `default`. */
  readonly responses: ReadonlyMap<string, DocumentedResponse>;
  /** Ways to be let in, of which one is enough; each needs all of its schemes. Empty when there is none. */
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
  /** Examples of the whole body, those of the media type before those of the schema. */
  readonly examples: readonly unknown[];
}

export interface DocumentedScheme {
  readonly name: string;
  readonly scopes: readonly string[];
}

/** A schema, translated from the document's dialect. It is compiled when it is first needed. */
export interface DocumentedSchema {
  /** Why it cannot be used, as a phrase; nothing can be said of any value then. `undefined` when it can. */
  readonly unusable: string | undefined;
  /** Patterns in it that cannot be judged; nothing is held against them. */
  readonly unjudged: readonly string[];
  /**
   * The schema's keywords with those of `$ref`, `allOf` and the first of `anyOf` and `oneOf` beside
   * them; what its `properties` hold may still have references.
   */
  readonly merged: JsonSchema;
  /** The same of a schema inside of it. */
  mergedPart(part: unknown): JsonSchema;
  /** What is wrong with a value: a JSON Pointer and a phrase; `undefined` when nothing is. */
  problem(value: unknown): string | undefined;
  /** A small value that it allows; `undefined` when none is found. */
  smallest(): unknown;
}
