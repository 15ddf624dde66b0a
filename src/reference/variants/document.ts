import { BASE_PATH } from "../document.ts";
import type { OpenApiObject } from "../model.ts";
import type { ProfileObject } from "../profile.ts";
import type { Variants } from "./variant.ts";

export const DOCUMENT_VARIANTS: Variants = {
  "document-alone": {
    title: "The document states what the profile could state about the operations",
    documented: true,
    describe: leftToDocument,
  },
  "document-3.0": {
    title: "The document uses OpenAPI 3.0, and its paths contain the prefix",
    document: (original) => (receiver) => asOpenApi30(original(receiver)),
    documented: true,
    describe: leftToDocument,
  },
};

/** A profile that leaves everything to its document, except the id of a change, which no document can state. */
function leftToDocument(profile: ProfileObject): ProfileObject {
  const { readChange } = profile["operations"] as ProfileObject;
  return "openapi" in profile ? { ...profile, operations: { readChange } } : profile;
}

function asOpenApi30({ paths, servers: _servers, ...rest }: OpenApiObject): OpenApiObject {
  const prefixed = Object.entries(paths as object).map(([path, item]) => [
    `${BASE_PATH}${path}`,
    item as unknown,
  ]);
  return {
    ...(withNullable(rest) as OpenApiObject),
    openapi: "3.0.3",
    paths: withNullable(Object.fromEntries(prefixed)),
  };
}

/** OpenAPI 3.0 has one type, and a separate keyword that also allows null. */
function withNullable(node: unknown): unknown {
  if (Array.isArray(node)) return node.map(withNullable);
  if (typeof node !== "object" || node === null) return node;
  return Object.fromEntries(
    Object.entries(node).flatMap(([name, value]): [string, unknown][] =>
      name === "type" && Array.isArray(value)
        ? [
            ["type", value[0]],
            ["nullable", true],
          ]
        : [[name, withNullable(value)]],
    ),
  );
}
