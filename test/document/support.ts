import { expect } from "vitest";

import { describeDocument } from "../../src/document/describe.ts";
import type { Dialect } from "../../src/document/json-schema.ts";
import { answerable, type ReadDocument } from "../../src/document/load.ts";
import type { DeploymentDocument, DocumentedSchema } from "../../src/profile/document.ts";
import type { Target } from "../../src/profile/target.ts";
import { referenceTarget } from "../support/target.ts";

export type Json = Readonly<Record<string, unknown>>;

/** A document of the given paths; each operation answers 204 where it does not say otherwise. */
export function openapi(paths: Json, more: Json = {}): Json {
  return { openapi: "3.1.0", info: { title: "Test", version: "1" }, paths, ...more };
}

/** The smallest valid operation. */
export const OPERATION: Json = { responses: { 204: { description: "done" } } };

/** A reference to a schema of the document. */
export const ref = (name: string): Json => ({ $ref: `#/components/schemas/${name}` });

/** The content of a body in JSON. */
export const json = (schema: unknown, more: Json = {}): Json => ({
  "application/json": { schema, ...more },
});

/** A document whose view of an organization answers with a schema. */
export function viewing(schema: unknown, schemas: Json = {}): Json {
  const get = { responses: { 200: { description: "", content: json(schema) } } };
  return openapi({ "/orgs/{orgId}": { get } }, { components: { schemas } });
}

/** The description that is read from a document. */
export function described(
  document: Json,
  { dialect = "3.1", basePath = "" }: { dialect?: Dialect; basePath?: string } = {},
): ReadDocument {
  return {
    ...describeDocument(document, dialect, basePath),
    unresolved: [],
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
  const { operations } = described(viewing(schema, schemas), { dialect });
  const found = operations.viewOrganization?.responses.get("200")?.get("application/json");
  if (!found?.schema) throw new Error("the schema was not found");
  return found.schema;
}

/** The values of which a schema says the opposite. */
export function misjudged(
  schema: DocumentedSchema,
  good: readonly unknown[],
  bad: readonly unknown[],
): unknown[] {
  expect(schema.unusable).toBeUndefined();
  return [
    ...good.filter((value) => schema.problem(value) !== undefined),
    ...bad.filter((value) => schema.problem(value) === undefined),
  ];
}
