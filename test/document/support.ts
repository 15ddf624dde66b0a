import { describeDocument } from "../../src/document/describe.ts";
import type { Dialect } from "../../src/document/json-schema.ts";
import { answerable, type ReadDocument } from "../../src/document/load.ts";
import type { DeploymentDocument, DocumentedSchema } from "../../src/profile/document.ts";
import type { Target } from "../../src/profile/target.ts";
import { referenceTarget } from "../support/target.ts";

type Json = Readonly<Record<string, unknown>>;

/** A document of the given paths; each operation answers 204 where it does not say otherwise. */
export function openapi(paths: Json, more: Json = {}): Json {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, ...more };
}

/** The smallest valid operation. */
export const OPERATION: Json = { responses: { 204: { description: "done" } } };

/** The description that is read from a document. */
export function described(
  document: Json,
  { dialect = "3.1", basePath = "" }: { dialect?: Dialect; basePath?: string } = {},
): ReadDocument {
  return {
    ...describeDocument(document, dialect, basePath),
    problems: () => Promise.resolve([]),
  };
}

/** The same as a run knows it. */
export function known(
  document: ReadDocument,
  operations: Target["operations"] = referenceTarget().operations,
): DeploymentDocument {
  return answerable(document, operations);
}

/** A schema as the document's answers to a view have it. */
export function responseSchema(
  dialect: Dialect,
  schema: unknown,
  schemas: Json = {},
): DocumentedSchema {
  const content = { "application/json": { schema } };
  const get = { responses: { 200: { description: "", content } } };
  const document = described(openapi({ "/orgs/{id}": { get } }, { components: { schemas } }), {
    dialect,
  });
  const found = document.operations.viewOrganization?.responses.get("200")?.get("application/json");
  if (!found?.schema) throw new Error("the schema was not found");
  return found.schema;
}
