import { SuiteError } from "../lib/errors.ts";
import { nameOf } from "./name.ts";

const LONGEST_REFERENCE = 200;
/** What to do about a document in too many parts. */
export const BUNDLE =
  "Or bundle the document into one file, for instance with `npx @redocly/cli bundle`.";
const HINT = `A document may refer to .json, .yaml and .yml files in its own folder and below, hidden ones, the keys and the profile excepted. ${BUNDLE}`;

/** @throws SuiteError always: OpenAPI has no reference there */
export function refuseReference(reference: string, from: string): never {
  throw refused(reference, from, "stands where OpenAPI has no reference");
}

/** The error for a reference that may not be followed. What a reference has after a question mark may be secret. */
export function refused(reference: string, from: string, why: string): SuiteError {
  const shown = JSON.stringify((reference.split("?", 1)[0] ?? "").slice(0, LONGEST_REFERENCE));
  return new SuiteError("ERR_DOCUMENT", `${nameOf(from)} refers to ${shown}, which ${why}`, {
    hint: HINT,
  });
}
