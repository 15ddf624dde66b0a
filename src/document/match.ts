import {
  byOperation,
  OPERATION_IDS,
  OPERATIONS,
  type OperationId,
} from "../contract/operations.ts";
import { isObject, type JsonObject } from "../lib/json.ts";
import { followed } from "./references.ts";

/** Where a document describes one of the six operations. */
export interface Match {
  /** The path template as the document has it. */
  readonly path: string;
  readonly pathItem: JsonObject;
  readonly operation: JsonObject;
}

interface Candidate extends Match {
  readonly id: OperationId;
  /** The part of the template before the contract's path. */
  readonly prefix: string;
}

/**
 * Finds the six operations in a document by method and by the end of the path. Prefixes and parameter names
 * may be anything, and a trailing slash is ignored. All operations are taken from one prefix: the one of
 * the base URL according to the document's servers, else the one with the most operations.
 * @param basePath path of the base URL, without a trailing slash
 */
export function matchOperations(
  root: JsonObject,
  basePath: string,
): Record<OperationId, Match | undefined> {
  const candidates = findCandidates(root);
  const [prefix] = [...new Set(candidates.map((one) => one.prefix))].toSorted(
    (a, b) => fitness(b) - fitness(a),
  );
  const chosen = candidates.filter((one) => one.prefix === prefix);
  return byOperation((id) => {
    const own = chosen.filter((one) => one.id === id);
    return own.find(({ path }) => !path.endsWith("/")) ?? own[0];
  });

  function fitness(one: string): number {
    const own = candidates.filter(({ prefix: other }) => other === one);
    const operations = new Set(own.map(({ id }) => id)).size;
    const servers = own.flatMap(({ pathItem, operation }) =>
      serverPaths(operation["servers"] ?? pathItem["servers"] ?? root["servers"]),
    );
    const here = servers.some((server) => covers(server + one, basePath));
    const below = basePath.endsWith(one) ? one.length / 10_000 : 0;
    return (here ? 100 : 0) + operations + below - (one.includes("{") ? 0.5 : 0);
  }
}

function findCandidates(root: JsonObject): Candidate[] {
  const paths = isObject(root["paths"]) ? root["paths"] : {};
  return Object.entries(paths).flatMap(([path, node]) => {
    const pathItem = followed(root, node);
    if (!pathItem) return [];
    return OPERATION_IDS.flatMap((id) => {
      const prefix = prefixOf(path, OPERATIONS[id].path);
      const operation = followed(root, pathItem[OPERATIONS[id].method.toLowerCase()]);
      return prefix === undefined || !operation ? [] : [{ id, path, prefix, pathItem, operation }];
    });
  });
}

/** What precedes the template at the end of a path; `undefined` if the path ends otherwise. */
function prefixOf(path: string, template: string): string | undefined {
  const segments = path.replace(/\/$/, "").split("/");
  const wanted = template.split("/").slice(1);
  const end = segments.splice(-wanted.length);
  const fits =
    end.length === wanted.length &&
    wanted.every((part, index) => {
      const segment = end[index] ?? "";
      return part.startsWith("{") ? isParameter(segment) : segment === part;
    });
  return fits && segments.length > 0 ? segments.join("/") : undefined;
}

function isParameter(segment: string): boolean {
  return /^\{[^{}]+\}$/.test(segment);
}

/** Paths of the servers' URLs, variables by their defaults. Without servers, the empty path. */
function serverPaths(servers: unknown): string[] {
  const named = Array.isArray(servers) ? servers.filter(isObject) : [];
  const urls = named.map(({ url, variables }) =>
    String(url).replaceAll(/\{([^{}]*)\}/g, (whole, name: string) => {
      const variable = isObject(variables) ? variables[name] : undefined;
      return isObject(variable) ? String(variable["default"]) : whole;
    }),
  );
  return (urls.length > 0 ? urls : ["/"]).flatMap((url) =>
    URL.canParse(url, "http://localhost")
      ? [decoded(new URL(url, "http://localhost").pathname).replace(/\/+$/, "")]
      : [],
  );
}

function decoded(path: string): string {
  return path.replaceAll(/%7B/gi, "{").replaceAll(/%7D/gi, "}");
}

/** Whether a path matches a template. */
function covers(template: string, path: string): boolean {
  const [wanted, segments] = [template.split("/"), path.split("/")];
  return (
    wanted.length === segments.length &&
    wanted.every((part, index) => isParameter(part) || part === segments[index])
  );
}
