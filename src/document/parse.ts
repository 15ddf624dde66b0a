import { SuiteError } from "../lib/errors.ts";
import { yamlIssueText } from "../lib/yaml-issue.ts";
import { DOCUMENT_HINT } from "./name.ts";

/** Legitimate documents use some aliases; an alias bomb uses far more. */
const MOST_ALIASES = 1000;

/**
 * Parses JSON or YAML 1.2, including merge keys.
 * @param name the document's name in messages
 * @throws SuiteError when it is neither
 */
export async function parseSource(text: string, name: string): Promise<unknown> {
  if (/^\uFEFF?\s*[[{]/.test(text)) {
    try {
      return JSON.parse(text.replace(/^\uFEFF/, "")) as unknown;
    } catch {
      // Text that begins with a brace may also be YAML.
    }
  }
  // JSON needs no parser of YAML.
  const { LineCounter, parseDocument } = await import("yaml");
  const lines = new LineCounter();
  const options = { lineCounter: lines, prettyErrors: false, stringKeys: true, merge: true };
  const document = parseDocument(text, options);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new SuiteError("ERR_DOCUMENT", `${name}:${line}:${col}: ${yamlIssueText(error.code)}`, {
      hint: DOCUMENT_HINT,
    });
  }
  try {
    return document.toJS({ maxAliasCount: MOST_ALIASES });
  } catch (cause) {
    // Aliases that expand to too much, or of which no anchor comes before.
    const why = "an alias (*) has no anchor (&) before it, or its aliases expand to too much";
    throw new SuiteError("ERR_DOCUMENT", `${name}: ${why}; write the values out`, {
      hint: DOCUMENT_HINT,
      cause,
    });
  }
}
