import { isObject } from "../probe/shapes.ts";
import type { Dialect } from "./json-schema.ts";

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
 */
export async function validityProblems(root: unknown, dialect: Dialect): Promise<string[]> {
  const { default: SwaggerParser } = await import("@apidevtools/swagger-parser");
  const copy = withPlainServers(root) as Record<string, unknown>;
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
 * A copy. The parser's meta-schema of 3.1 misspells the `description` of a server's variable and would
 * refuse every document that has one.
 */
function withPlainServers(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withPlainServers);
  if (!isObject(node)) return node;
  return Object.fromEntries(
    Object.entries(node).map(([name, value]) => [
      name,
      name === "servers" && Array.isArray(value)
        ? value.map(withPlainVariables)
        : withPlainServers(value),
    ]),
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
