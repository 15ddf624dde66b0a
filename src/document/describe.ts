import { byOperation } from "../contract/operations.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import type {
  DescribedDocument,
  DocumentedMedia,
  DocumentedOperation,
  DocumentedParameter,
  DocumentedSchema,
  DocumentedScheme,
} from "../profile/document.ts";
import type { Dialect, Direction } from "./json-schema.ts";
import { type Match, matchOperations } from "./match.ts";
import { protocolOf } from "./protocol.ts";
import { followed } from "./references.ts";
import { documentedSchema } from "./schema.ts";

/**
 * What a document states about the six operations. Anything that is not valid OpenAPI is ignored.
 * @param root the document without references to other files
 * @param basePath path of the base URL, which selects among several `/orgs`
 */
export function describeDocument(
  root: JsonObject,
  dialect: Dialect,
  basePath: string,
): DescribedDocument {
  const matches = matchOperations(root, basePath);
  const known = new Map<unknown, DocumentedSchema>();

  /** One object gives one schema, so the Error of all responses is compiled once. */
  function schemaOf(node: unknown, direction: Direction): DocumentedSchema | undefined {
    if (node === undefined) return undefined;
    const alone = isObject(node) && Object.keys(node).length === 1;
    const place = alone ? (followed(root, node) ?? node) : node;
    const made = known.get(place) ?? documentedSchema(root, node, dialect, direction);
    known.set(place, made);
    return made;
  }

  function mediaOf(content: unknown, direction: Direction): Map<string, DocumentedMedia> {
    const entries = isObject(content) ? Object.entries(content) : [];
    return new Map(
      entries.map(([type, node]) => {
        const media = followed(root, node) ?? {};
        const schema = schemaOf(media["schema"], direction);
        return [bareType(type), { schema, examples: examplesOf(media, schema) }];
      }),
    );
  }

  function examplesOf(media: JsonObject, schema: DocumentedSchema | undefined): unknown[] {
    const named = isObject(media["examples"]) ? Object.values(media["examples"]) : [];
    const own = schema?.merged["examples"];
    return [
      ...("example" in media ? [media["example"]] : []),
      ...named.flatMap((node) => {
        const example = followed(root, node);
        return example && "value" in example ? [example["value"]] : [];
      }),
      ...(Array.isArray(own) ? own : []),
    ];
  }

  /** The bodies of a response. One whose reference leads nowhere may have any. */
  function responseOf(node: unknown): Map<string, DocumentedMedia> {
    const response = followed(root, node);
    if (response || !isReference(node)) return mediaOf(response?.["content"], "response");
    return new Map([["*/*", { schema: schemaOf(node, "response"), examples: [] }]]);
  }

  function parametersOf(nodes: readonly unknown[]): Map<string, DocumentedParameter> {
    const parameters = nodes.map((node) => followed(root, node) ?? {});
    return new Map(
      parameters
        .filter((parameter) => parameter["in"] === "query" && typeof parameter["name"] === "string")
        .map((parameter) => [
          String(parameter["name"]),
          {
            required: parameter["required"] === true,
            schema: schemaOf(parameter["schema"] ?? onlyMedia(parameter), "request"),
          },
        ]),
    );
  }

  function operationOf(match: Match): DocumentedOperation {
    const { path, operation } = match;
    const responses = isObject(operation["responses"]) ? operation["responses"] : {};
    const parameters = [match.pathItem["parameters"], operation["parameters"]].flatMap((list) =>
      Array.isArray(list) ? (list as unknown[]) : [],
    );
    const unresolved = parameters.find((node) => isReference(node) && !followed(root, node));
    return {
      path,
      query: parametersOf(parameters),
      ...(isReference(unresolved) && { unresolvedParameter: unresolved.$ref }),
      body: mediaOf(followed(root, operation["requestBody"])?.["content"], "request"),
      responses: new Map(
        Object.entries(responses)
          .filter(([status]) => !status.startsWith("x-"))
          .map(([status, node]) => [
            status.replace(/^\dxx$/i, (range) => range.toUpperCase()),
            responseOf(node),
          ]),
      ),
      security: securityOf(operation["security"] ?? root["security"]),
    };
  }

  return {
    operations: byOperation((id) => matches[id] && operationOf(matches[id])),
    authorizationUrls: authorizationUrls(root),
    protocol: protocolOf(root),
  };
}

/** A media type in lower case, without parameters. */
export function bareType(mediaType: string): string {
  return (mediaType.split(";", 1)[0] ?? "").trim().toLowerCase();
}

function isReference(node: unknown): node is { readonly $ref: string } {
  return isObject(node) && typeof node["$ref"] === "string";
}

function onlyMedia(parameter: JsonObject): unknown {
  const [media] = isObject(parameter["content"]) ? Object.values(parameter["content"]) : [];
  return isObject(media) ? media["schema"] : undefined;
}

function securityOf(security: unknown): DocumentedScheme[][] {
  const alternatives = Array.isArray(security) ? security.filter(isObject) : [];
  return alternatives.map((alternative) =>
    Object.entries(alternative).map(([name, scopes]) => ({
      name,
      scopes: Array.isArray(scopes) ? scopes.map(String) : [],
    })),
  );
}

const URL_MEMBERS = ["authorizationUrl", "tokenUrl", "refreshUrl", "openIdConnectUrl"];

function authorizationUrls(root: JsonObject): { where: string; url: string }[] {
  const components = isObject(root["components"]) ? root["components"] : {};
  const schemes = isObject(components["securitySchemes"]) ? components["securitySchemes"] : {};
  return Object.entries(schemes).flatMap(([name, node]) => {
    const scheme = followed(root, node) ?? {};
    const flows = isObject(scheme["flows"]) ? Object.entries(scheme["flows"]) : [];
    const places = [[name, scheme] as const, ...flows.map(([flow, one]) => [flow, one] as const)];
    return places.flatMap(([where, one]) =>
      URL_MEMBERS.flatMap((member) => {
        const url = isObject(one) ? one[member] : undefined;
        return typeof url === "string" ? [{ where: `${where} ${member}`, url }] : [];
      }),
    );
  });
}
