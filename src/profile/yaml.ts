import {
  type Document,
  isAlias,
  isMap,
  isPair,
  isScalar,
  isSeq,
  Lexer,
  LineCounter,
  type Node,
  type Pair,
  parseDocument,
  visit,
  type YAMLError,
  type YAMLMap,
} from "yaml";

import { yamlIssueText } from "../lib/yaml-issue.ts";
import type { Problem, ProfilePath } from "./text-file.ts";

/** A position in a text. Both numbers start at 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A parsed YAML or JSON text, with the positions of its values. */
export interface ParsedText {
  /** `undefined` when there are problems. */
  readonly value: unknown;
  readonly problems: readonly (Position & { readonly text: string })[];
  /** The start of a value, or of its key; for a missing value, the closest value around it. */
  readonly positionOf: (path: ProfilePath, at: Problem["at"]) => Position;
}

type Found = [offset: number, text: string];

/** Far more than people write by hand, and still fast to parse. */
const MOST_TOKENS = 100_000;
const MOST_ALIASES = 100;
const DEEPEST = 100;

/**
 * Parses YAML 1.2, which includes JSON, with merge keys. Throws nothing. Limits the size, the depth and the number of
 * aliases.
 */
export function parseText(text: string): ParsedText {
  if (hasTooManyTokens(text)) {
    const whole = { line: 1, column: 1 };
    const problems = [{ ...whole, text: "it has too many parts" }];
    return { value: undefined, problems, positionOf: () => whole };
  }
  const lines = new LineCounter();
  const document = parseDocument(text, {
    lineCounter: lines,
    prettyErrors: false,
    stringKeys: true,
    // Of YAML 1.1, but many writers of YAML expect them.
    merge: true,
    // The library compares each key with all others of its mapping, which is slow; see
    // `irregularities`.
    uniqueKeys: false,
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

  const problems = [
    ...[...document.errors, ...document.warnings].map((error) =>
      problem(error.pos[0], describe(error, text)),
    ),
    ...irregularities(document).map((found) => problem(...found)),
  ];
  if (problems.length > 0) {
    // After one mistake, the parser reports follow-on errors on the same line.
    const firstOfLine = new Map(problems.toReversed().map((each) => [each.line, each]));
    return { value: undefined, problems: [...firstOfLine.values()].toReversed(), positionOf };
  }
  try {
    return { value: document.toJS(), problems, positionOf };
  } catch {
    const dangling = danglingAlias(document);
    const expanded = problem(0, "its aliases (*) expand to too much; write the values out");
    return { value: undefined, problems: [dangling ? problem(...dangling) : expanded], positionOf };
  }
}

function describe({ code, pos: [offset] }: YAMLError, text: string): string {
  if (code === "UNEXPECTED_TOKEN" && text.startsWith("${", offset - 1)) {
    return "a text with ${…} needs quotes inside braces and brackets";
  }
  return yamlIssueText(code);
}

function hasTooManyTokens(text: string): boolean {
  const tokens = new Lexer().lex(text);
  for (let count = 0; count <= MOST_TOKENS; count++) if (tokens.next().done) return false;
  return true;
}

/** Duplicate keys; or the first value that is nested too deeply or exceeds the limit of aliases. */
function irregularities(document: Document): Found[] {
  const found: Found[] = [];
  const pending: [node: unknown, depth: number][] = [[document.contents, 0]];
  let aliases = 0;
  for (let next = pending.pop(); next; next = pending.pop()) {
    const [node, depth] = next;
    if (depth > DEEPEST) return [[startOf(node) ?? 0, "this is nested too deeply"]];
    if (isAlias(node) && ++aliases > MOST_ALIASES) {
      return [[startOf(node) ?? 0, "it has too many aliases (*); write the values out"]];
    }
    const keys = new Set<string | undefined>();
    for (const item of isMap(node) || isSeq(node) ? node.items : []) {
      if (!isPair(item)) {
        pending.push([item, depth + 1]);
        continue;
      }
      pending.push([item.value, depth + 1]);
      const key = isScalar(item.key) ? String(item.key.value) : undefined;
      if (isMergeKey(item) && !mergeable(item.value, document)) {
        found.push([
          startOf(item.key) ?? 0,
          "<< takes a mapping, an alias of one, or a list of them",
        ]);
      }
      if (key !== undefined && keys.has(key)) {
        found.push([startOf(item.key) ?? 0, `the key \`${key}\` is given twice; keep one of them`]);
      }
      keys.add(key);
    }
  }
  return found;
}

function isMergeKey({ key }: Pair): boolean {
  return isScalar(key) && key.value === "<<" && key.type === "PLAIN";
}

/** Whether a merge key may have this value. An alias of nothing is reported elsewhere. */
function mergeable(value: unknown, document: Document): boolean {
  const isSource = (one: unknown): boolean => {
    const source = isAlias(one) ? (one.resolve(document) ?? one) : one;
    return isMap(source) || isAlias(source);
  };
  return isSeq(value) ? value.items.every(isSource) : isSource(value);
}

function danglingAlias(document: Document): Found | undefined {
  let found: Found | undefined;
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
      const pair = pairsOf(parent).get(String(step));
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

const pairs = new WeakMap<YAMLMap, ReadonlyMap<unknown, Pair>>();

/** The members of a mapping by key, cached because a text may have as many problems as keys. */
function pairsOf(map: YAMLMap): ReadonlyMap<unknown, Pair> {
  const known = pairs.get(map);
  if (known) return known;
  const made = new Map(map.items.map((pair) => [isScalar(pair.key) && pair.key.value, pair]));
  pairs.set(map, made);
  return made;
}

/** The offset of a node; `undefined` for an empty value, which has no visible start. */
function startOf(node: unknown): number | undefined {
  if (isScalar(node) && node.source === "" && node.type === "PLAIN") return undefined;
  return (node as Node | null | undefined)?.range?.[0];
}
