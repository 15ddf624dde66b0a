import { displayPath } from "../lib/paths.ts";

/** What to do about a document that will not do. */
export const DOCUMENT_HINT =
  "`openapi` in the profile is the file or URL of an OpenAPI 3.0 or 3.1 document, in YAML or JSON.";

/** Whether the profile's `openapi`, as resolved, is a URL; else it is a file. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * A document's name in messages; what a URL has after its path may be secret.
 * @param cwd files are named relative to this folder; default: the process's
 */
export function nameOf(source: string, cwd?: string): string {
  if (!isUrl(source)) return displayPath(source, cwd);
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}
