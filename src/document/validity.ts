import { isObject } from "../lib/json.ts";
import type { Dialect } from "./json-schema.ts";
import { followed } from "./references.ts";

type Json = Readonly<Record<string, unknown>>;

const MOST_PROBLEMS = 5;
const LONGEST_PROBLEM = 200;
/** Versions that the parser is sure to know; patch versions change no rule. */
const KNOWN_VERSIONS: Readonly<Record<Dialect, string>> = { "3.0": "3.0.3", "3.1": "3.1.0" };

/** An error of the parser, which keeps those of the JSON Schema validator it uses. */
interface SchemaFailure {
  readonly message: string;
  readonly details?: readonly { readonly instancePath: string; readonly message?: string }[];
}

/**
 * What keeps a document from being valid OpenAPI, the first few things.
 * @param root all that it refers to is in it; it stays as it is
 * @param references the objects whose `$ref` is a reference: the parser would follow any other too
 */
export async function validityProblems(
  root: Json,
  dialect: Dialect,
  references: ReadonlySet<object>,
): Promise<string[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  const copy = copyForParser(root, references) as Record<string, unknown>;
  copy["openapi"] = KNOWN_VERSIONS[dialect];
  try {
    await SwaggerParser.validate(copy as never, { resolve: { external: false } });
    return [];
  } catch (error) {
    const { message, details } = error as SchemaFailure;
    if (!details) return [inShort(message)];
    const innermost = details.toSorted((a, b) => depth(b.instancePath) - depth(a.instancePath));
    const worded = innermost.map((one) =>
      inShort(`#${one.instancePath || "/"} ${one.message ?? "is not valid"}`),
    );
    return [...new Set(worded)].slice(0, MOST_PROBLEMS);
  }
}

/**
 * A copy that the parser judges as OpenAPI does: it has no `$ref` that is data. And the parser's
 * meta-schema of 3.1 misspells the `description` of a server's variable and knows no `$ref` of a path
 * item, which the parser leaves alone where a schema below it is circular.
 */
function copyForParser(root: Json, references: ReadonlySet<object>): unknown {
  const { paths } = root;
  return copy(isObject(paths) ? { ...root, paths: withPathItems(paths, root) } : root);

  function copy(node: unknown): unknown {
    if (Array.isArray(node)) return node.map(copy);
    if (!isObject(node)) return node;
    const isData = typeof node["$ref"] === "string" && !references.has(node);
    const members = Object.entries(node).filter(([name]) => !(isData && name === "$ref"));
    return Object.fromEntries(
      members.map(([name, value]) => [
        name,
        name === "servers" && Array.isArray(value) ? value.map(withPlainVariables) : copy(value),
      ]),
    );
  }
}

function withPathItems(paths: Json, root: Json): Json {
  return Object.fromEntries(
    Object.entries(paths).map(([path, item]) => {
      const elsewhere = isObject(item) && "$ref" in item ? followed(root, item) : undefined;
      if (!elsewhere) return [path, item];
      const { $ref: _reference, ...own } = item as Json;
      return [path, { ...elsewhere, ...own }];
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

function inShort(text: string): string {
  return (text.split("\n", 1)[0] ?? "").slice(0, LONGEST_PROBLEM);
}
