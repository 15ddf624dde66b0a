import { SuiteError } from "../lib/errors.ts";
import { nameOf } from "./name.ts";

const LONGEST_REFERENCE = 200;
const BUNDLE = "Or bundle the document into one file, for instance with `npx @redocly/cli bundle`.";
const HINT = `A document may refer to .json, .yaml and .yml files in its own folder and below, hidden ones, the keys and the profile excepted. ${BUNDLE}`;

/**
 * Throws for a reference in a place where OpenAPI allows none.
 * @throws SuiteError always
 */
export function refuseReference(reference: string, from: string): never {
  throw refused(reference, from, "is in a place where OpenAPI allows no reference");
}

/** The error for a reference that must not be followed, without its query, which may be secret. */
export function refused(reference: string, from: string, why: string): SuiteError {
  const shown = JSON.stringify((reference.split("?", 1)[0] ?? "").slice(0, LONGEST_REFERENCE));
  return new SuiteError("ERR_DOCUMENT", `${nameOf(from)} refers to ${shown}, which ${why}`, {
    hint: HINT,
  });
}
