import { displayPath } from "../lib/paths.ts";

/** The hint for a document that cannot be used. */
export const DOCUMENT_HINT =
  "`openapi` in the profile is the file or URL of an OpenAPI 3.0 or 3.1 document, in YAML or JSON.";

/** Whether the resolved `openapi` of the profile is a URL; otherwise it is a file. */
export function isUrl(source: string): boolean {
  return /^https?:\/\//i.test(source);
}

/**
 * A document's name in messages. The query and fragment of a URL are left out, because they may be secret.
 * @param cwd files are named relative to this folder; default: the process's
 */
export function nameOf(source: string, cwd?: string): string {
  if (!isUrl(source)) return displayPath(source, cwd);
  const { origin, pathname } = new URL(source);
  return origin + pathname;
}
