import {
  type Document,
  type ErrorCode,
  isAlias,
  isMap,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  parseDocument,
  visit,
  type YAMLError,
} from "yaml";

import type { Problem, ProfilePath } from "./profile.ts";

/** A place in a text, both numbers from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A YAML or JSON text as a value whose parts can be found again. */
export interface ParsedText {
  /** `undefined` when there are problems. */
  readonly value: unknown;
  readonly problems: readonly (Position & { readonly text: string })[];
  /** Where a value, or the last key of its path, begins; for what is not there, the nearest thing around it. */
  readonly positionOf: (path: ProfilePath, at: Problem["at"]) => Position;
}

/** The parser's own words are for those who know the YAML specification. */
const EXPLANATIONS: Partial<Record<ErrorCode, string>> = {
  BAD_DIRECTIVE: "directives (%) mean nothing here; leave it out",
  BAD_INDENT: "a brace or bracket before this is not closed, or the line needs more indentation",
  BAD_SCALAR_START: "a text that begins with this character needs quotes",
  BLOCK_AS_IMPLICIT_KEY:
    "a colon and a blank begin a mapping, which cannot stand here; quote the text, or check indentation",
  BLOCK_IN_FLOW: "a comma is missing around here, or a text needs quotes",
  MULTIPLE_DOCS: "a second document begins here; the file is one document: remove the ---",
  NON_STRING_KEY: "a key must be plain text",
  RESOURCE_EXHAUSTION: "this is nested too deeply",
  TAB_AS_INDENT: "tabs cannot indent; use spaces",
  TAG_RESOLVE_FAILED: "tags (!) mean nothing here; leave it out, or quote the text",
  UNEXPECTED_TOKEN: "this cannot stand here; check indentation, commas and quotes around it",
};

/** Parses YAML 1.2, of which JSON is a part. Nothing is thrown; aliases may expand to a bounded amount only. */
export function parseText(text: string): ParsedText {
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
  });
  const position = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const problem = (offset: number, what: string): ParsedText["problems"][number] => ({
    ...position(offset),
    text: what,
  });
  const positionOf: ParsedText["positionOf"] = (path, at) => position(offsetOf(document, path, at));

  const problems = [...document.errors, ...document.warnings].map((error) =>
    problem(error.pos[0], describe(error, text)),
  );
  if (problems.length > 0) {
    // One mistake makes the parser stumble over the rest of its line.
    const firstOfLine = new Map(problems.toReversed().map((each) => [each.line, each]));
    return { value: undefined, problems: [...firstOfLine.values()].toReversed(), positionOf };
  }
  try {
    return { value: document.toJS(), problems, positionOf };
  } catch (cause) {
    const dangling = String(cause).includes("Unresolved alias")
      ? danglingAlias(document)
      : undefined;
    const expanded = problem(0, "its aliases (*) expand to too much; write the values out");
    return { value: undefined, problems: [dangling ? problem(...dangling) : expanded], positionOf };
  }
}

function describe({ code, message, pos: [offset] }: YAMLError, text: string): string {
  if (code === "DUPLICATE_KEY") {
    const key = /^["']?([^"':\s]*)/.exec(text.slice(offset))?.[1];
    return `the key ${key} is given twice; keep one of them`;
  }
  if (code === "UNEXPECTED_TOKEN" && text.startsWith("${", offset - 1)) {
    return "a text with ${…} needs quotes inside braces and brackets";
  }
  return EXPLANATIONS[code] ?? message;
}

function danglingAlias(document: Document): [offset: number, text: string] | undefined {
  let found: [number, string] | undefined;
  visit(document, {
    Alias(_, alias) {
      if (alias.resolve(document)) return undefined;
      found = [
        alias.range?.[0] ?? 0,
        `no anchor &${alias.source} comes before *${alias.source}; put a text that begins with * in quotes`,
      ];
      return visit.BREAK;
    },
  });
  return found;
}

function offsetOf(document: Document, path: ProfilePath, at: Problem["at"]): number {
  let node: unknown = document.contents;
  let offset = 0;
  for (const [index, step] of path.entries()) {
    const parent: unknown = isAlias(node) ? node.resolve(document) : node;
    if (isMap(parent)) {
      const pair = parent.items.find(({ key }) => isScalar(key) && key.value === String(step));
      if (!pair) break;
      const key = startOf(pair.key) ?? offset;
      const wantsKey = at === "key" && index === path.length - 1;
      offset = wantsKey ? key : (startOf(pair.value) ?? key);
      node = pair.value;
    } else if (isSeq(parent)) {
      node = parent.items[Number(step)];
      offset = startOf(node) ?? offset;
    } else {
      break;
    }
  }
  return offset;
}

/** An empty value begins nowhere that a reader could see. */
function startOf(node: unknown): number | undefined {
  if (isScalar(node) && node.source === "" && node.type === "PLAIN") return undefined;
  return (node as Node | null | undefined)?.range?.[0];
}
