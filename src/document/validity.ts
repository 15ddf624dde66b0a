import { isObject, type JsonObject } from "../lib/json.ts";
import { type SchemaIssue, schemaIssueText } from "../lib/schema-issue.ts";
import type { Dialect } from "./json-schema.ts";
import { followed, localTarget } from "./references.ts";

const MOST_PROBLEMS = 5;
const LONGEST_PROBLEM = 200;
/** Versions that the parser certainly knows. Patch versions change no rules. */
const KNOWN_VERSIONS: Readonly<Record<Dialect, string>> = { "3.0": "3.0.3", "3.1": "3.1.0" };

/** What the parser's errors mean besides those of its validator. */
const PARSER_CODES: Readonly<Record<string, string>> = {
  EMISSINGPOINTER: "a reference in it leads nowhere",
  EINVALIDPOINTER: "a reference in it is not a JSON Pointer",
  ETIMEOUT: "its references take too long to follow",
};
const OTHERWISE = "its references cannot be followed";

/** A reference that the parser does not follow. */
const ELSEWHERE = "unresolved";

/** An error of the parser with the errors of its JSON Schema validator. */
interface SchemaFailure {
  readonly code?: unknown;
  readonly details?: readonly SchemaIssue[];
}

/**
 * The first few reasons why a document is not valid OpenAPI.
 * @param root the document without references to other files; it is not changed
 * @param references the objects whose `$ref` is a reference; the parser would follow all others too
 * @param wrong what is already known to be wrong with references
 */
export async function validityProblems(
  root: JsonObject,
  dialect: Dialect,
  references: ReadonlySet<object>,
  wrong: readonly string[],
): Promise<string[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  const copy = copyForParser(root, references) as Record<string, unknown>;
  copy["openapi"] = KNOWN_VERSIONS[dialect];
  // The parser wants paths, which 3.1 leaves out of a document that has components alone.
  if (dialect === "3.1" && "components" in copy) copy["paths"] ??= {};
  try {
    await SwaggerParser.validate(copy as never, { resolve: { external: false } });
    return wrong.slice(0, MOST_PROBLEMS);
  } catch (error) {
    const { code, details } = error as SchemaFailure;
    if (!details)
      return [...wrong, PARSER_CODES[String(code)] ?? OTHERWISE].slice(0, MOST_PROBLEMS);
    const innermost = details.toSorted((a, b) => depth(b.instancePath) - depth(a.instancePath));
    const worded = innermost.map((one) =>
      `\`#${one.instancePath || "/"}\` ${schemaIssueText(one)}`.slice(0, LONGEST_PROBLEM),
    );
    return [...new Set([...wrong, ...worded])].slice(0, MOST_PROBLEMS);
  }
}

/**
 * A copy for the parser, without any `$ref` that is data, and with those that lead nowhere as ones that it leaves
 * alone. It also works around two faults of the parser's
 * meta-schema of 3.1: it misspells the `description` of a server's variable, and it knows no `$ref` of a
 * path item, which the parser does not resolve if a schema below it is circular.
 */
function copyForParser(root: JsonObject, references: ReadonlySet<object>): unknown {
  const { paths } = root;
  return copy(isObject(paths) ? { ...root, paths: withPathItems(paths, root) } : root);

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy);
    if (!isObject(node)) return node;
    const { $ref: reference } = node;
    const isData = typeof reference === "string" && !references.has(node);
    const members = Object.entries(node).filter(([name]) => !(isData && name === "$ref"));
    const copied: Record<string, unknown> = Object.fromEntries(
      members.map(([name, value]) => [
        name,
        name === "servers" && Array.isArray(value) ? value.map(withPlainVariables) : copy(value),
      ]),
    );
    const isDangling =
      typeof reference === "string" && !isData && localTarget(root, reference) === undefined;
    return isDangling ? { ...copied, $ref: ELSEWHERE } : copied;
  }
}

function withPathItems(paths: JsonObject, root: JsonObject): JsonObject {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      if (!isObject(item) || !("$ref" in item)) return [path, item];
      const { $ref: _reference, ...own } = item;
      return [path, { ...followed(root, item), ...own }];
    }),
  );
}

function withPlainVariables(server: unknown): unknown {
  if (!isObject(server) || !isObject(server["variables"])) return server;
  const variables = Object.entries(server["variables"]).map(([name, variable]) => {
    if (!isObject(variable) || typeof variable["description"] !== "string") return [name, variable];
    const { description: _description, ...rest } = variable;
    return [name, rest];
  });
  return { ...server, variables: Object.fromEntries(variables) as unknown };
}

function depth(pointer: string): number {
  return pointer.split("/").length;
}
