import { SuiteError } from "../lib/errors.ts";
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

const LONGEST_REFERENCE = 200;
const BUNDLE = "Or bundle the document into one file, for instance with `npx @redocly/cli bundle`.";
const HINT = `A document may refer to .json, .yaml and .yml files in its own folder and below, hidden ones, the keys and the profile excepted. ${BUNDLE}`;

/** The error for a reference that must not or cannot be followed. */
export function refused(reference: string, from: string, why: string): SuiteError {
  return new SuiteError("ERR_DOCUMENT", `${referring(reference, from)} ${why}`, { hint: HINT });
}

/**
 * The beginning of a sentence about what a reference names. The query is left out, because it may be secret.
 * @param cwd see `nameOf`
 */
export function referring(reference: string, from: string, cwd?: string): string {
  const shown = JSON.stringify((reference.split("?", 1)[0] ?? "").slice(0, LONGEST_REFERENCE));
  return `${nameOf(from, cwd)} refers to ${shown}, which`;
}
