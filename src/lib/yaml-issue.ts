import type { ErrorCode } from "yaml";

/** What is wrong in a text of YAML, for readers who do not know its specification; the parser's own words reach nobody. */
const CODES: Readonly<Record<ErrorCode, string>> = {
  ALIAS_PROPS: "an alias (*) takes neither an anchor (&) nor a tag (!); leave that out",
  BAD_ALIAS: "an anchor (&) or alias (*) needs a name without colon at its end; or quote the text",
  BAD_COLLECTION_TYPE: "the tag (!) does not fit what follows it; leave the tag out",
  BAD_DIRECTIVE: "directives (%) mean nothing here; leave it out",
  BAD_DQ_ESCAPE:
    "this is no escape in double quotes; write \\\\ for a backslash, or use single quotes",
  BAD_INDENT: "a brace or bracket before this is not closed, or the line needs more indentation",
  BAD_PROP_ORDER: "anchors (&) and tags (!) stand after -, ? and :, not before; move it",
  BAD_SCALAR_START: "a text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a colon and a space begin a mapping, which cannot stand here; quote the text, or check indentation",
  BLOCK_IN_FLOW: "a comma is missing around here, or a text needs quotes",
  DUPLICATE_KEY: "this key is given twice; keep one of them",
  IMPOSSIBLE: "this cannot be read; check the text around it",
  KEY_OVER_1024_CHARS: "a key of more than 1024 characters; shorten it, or check quotes and colons",
  MISSING_CHAR: "a quote, bracket, brace, colon, comma or blank is missing around here",
  MULTILINE_IMPLICIT_KEY: "a key must be on one line, with its colon; check quotes and indentation",
  MULTIPLE_ANCHORS: "a value takes one anchor (&); leave the other out",
  MULTIPLE_DOCS: "a second document begins here; the file is one document: remove the ---",
  MULTIPLE_TAGS: "a value takes one tag (!); leave the other out",
  NON_STRING_KEY: "a key must be plain text",
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "tabs cannot indent; use spaces",
  TAG_RESOLVE_FAILED: "tags (!) mean nothing here; leave it out, or quote the text",
  UNEXPECTED_TOKEN: "this cannot stand here; check indentation, commas and quotes around it",
};

/** What an error of the parser of YAML means, and what to do. It follows the place in the text. */
export function yamlIssueText(code: ErrorCode): string {
  return CODES[code] ?? CODES.IMPOSSIBLE;
}
