import { SuiteError } from "../errors.ts";
import { isObject } from "../probe/shapes.ts";
import type { DeploymentDocument } from "../profile/document.ts";
import type { Target } from "../profile/target.ts";
import { assemble } from "./assemble.ts";
import { describeDocument } from "./describe.ts";
import type { Dialect } from "./json-schema.ts";
import { documentId, partReader, refuseReference } from "./parts.ts";
import { nameOf, parseSource, readText } from "./source.ts";
import { validityProblems } from "./validity.ts";

/**
 * Reads the OpenAPI document, 3.0 or 3.1, that a target's profile names.
 * Files that it refers to are read from its own folder, or from its own origin; nothing else is, and
 * what looks like a reference in an example is none.
 * A document that can be read but is not valid is a document: its `problems` say so.
 * @param source a file or an http or https URL
 * @param cwd messages name files relative to this folder; default: the process's
 * @throws SuiteError when it cannot be read, or is no OpenAPI document of these versions
 */
export async function loadDocument(
  source: string,
  target: Target,
  cwd?: string,
): Promise<DeploymentDocument> {
  const name = nameOf(source, cwd);
  const value = parseSource(await readText(source, target, cwd), name);
  const dialect = dialectOf(value, name);
  if (!isObject(value)) throw new TypeError("a document of a known version is an object");
  const id = documentId(source);
  const { root, references } = await assemble(
    { id, value },
    partReader(id, target, cwd),
    refuseReference,
  );
  let problems: Promise<readonly string[]> | undefined;
  return {
    ...describeDocument(root, dialect, target.basePath),
    problems: () => (problems ??= validityProblems(root, dialect, references)),
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
