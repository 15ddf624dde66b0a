import type { OperationId } from "../contract/operations.ts";

/** A JSON Schema, draft 2020-12, that is an object. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** The deployment's own OpenAPI document, as far as it speaks of the six routes. */
export interface DeploymentDocument {
  /** `undefined` for a route that it does not have. */
  readonly operations: Readonly<Record<OperationId, DocumentedOperation | undefined>>;
  /** URLs of its OAuth 2.0 flows and OpenID Connect schemes, with where they stand. */
  readonly authorizationUrls: readonly { readonly where: string; readonly url: string }[];
  /** What keeps it from being valid OpenAPI, a phrase each; empty when it is. Found out once, when asked for. */
  problems(): Promise<readonly string[]>;
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
