import { relative, resolve } from "node:path";

import { OPERATION_IDS, OPERATIONS } from "../contract/operations.ts";
import { matchOperations } from "../document/match.ts";
import type { SourceFile, SourceFiles } from "../engine/events.ts";
import { isObject } from "../lib/json.ts";
import { readRegularFile } from "../lib/regular-file.ts";
import type { Target } from "../profile/target.ts";
import { parseText } from "../profile/yaml.ts";

/** Longer files get no line numbers. */
const LONGEST_BYTES = 1024 * 1024;

/**
 * The files that describe a deployment, with the lines where its base URL and its operations begin. A SARIF
 * report uses them as the locations of its results. Throws nothing: a file that cannot be read gets no lines.
 * @param profile relative to the working directory
 * @param cwd an absolute path; file names in the result are relative to it
 */
export function sourceFiles(
  profile: string | undefined,
  { openapi, basePath }: Target,
  cwd: string,
): SourceFiles {
  const isFile = openapi !== undefined && !/^https?:/i.test(openapi);
  return {
    ...(profile !== undefined && { profile: located(resolve(cwd, profile), cwd, linesOfProfile) }),
    ...(isFile && {
      document: located(openapi, cwd, (text) => linesOfDocument(text, basePath)),
    }),
  };
}

function located(path: string, cwd: string, linesOf: (text: string) => Lines): SourceFile {
  const file = relative(cwd, path).replaceAll("\\", "/");
  try {
    return { file, lines: linesOf(readRegularFile(path, LONGEST_BYTES).toString("utf8")) };
  } catch {
    return { file, lines: {} };
  }
}

type Lines = SourceFile["lines"];

function linesOfProfile(text: string): Lines {
  const { value, positionOf } = parseText(text);
  if (!isObject(value)) return {};
  const operations = isObject(value["operations"]) ? value["operations"] : {};
  const paths = [
    ...("baseUrl" in value ? [["baseUrl"]] : []),
    ...OPERATION_IDS.filter((id) => id in operations).map((id) => ["operations", id]),
  ];
  return Object.fromEntries(paths.map((path) => [path.at(-1) ?? "", positionOf(path, "key").line]));
}

function linesOfDocument(text: string, basePath: string): Lines {
  const { value, positionOf } = parseText(text);
  if (!isObject(value)) return {};
  const matches = matchOperations(value, basePath);
  return Object.fromEntries(
    OPERATION_IDS.flatMap((id) => {
      const match = matches[id];
      if (!match) return [];
      const path = ["paths", match.path, OPERATIONS[id].method.toLowerCase()];
      return [[id, positionOf(path, "key").line]];
    }),
  );
}
