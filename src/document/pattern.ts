import { RE2JS } from "re2js";

/** A pattern whose matching time is linear in the length of the text. */
export interface Pattern {
  /** Whether it matches anywhere in the text. */
  test(text: string): boolean;
  /** The pattern itself; `ajv` uses it to distinguish patterns. */
  toString(): string;
}

/** White space of ECMA-262, and everything else, as members of a character class. */
const SPACE =
  "\\t-\\r \\x{A0}\\x{1680}\\x{2000}-\\x{200A}\\x{2028}\\x{2029}\\x{202F}\\x{205F}\\x{3000}\\x{FEFF}";
const NO_SPACE =
  "\\x{0}-\\x{8}\\x{E}-\\x{1F}!-\\x{9F}\\x{A1}-\\x{167F}\\x{1681}-\\x{1FFF}\\x{200B}-\\x{2027}\\x{202A}-\\x{202E}\\x{2030}-\\x{205E}\\x{2060}-\\x{2FFF}\\x{3001}-\\x{FEFE}\\x{FF00}-\\x{10FFFF}";
const ANY = "\\x{0}-\\x{10FFFF}";
/** The characters that `.` does not match. */
const LINE_ENDS = "\\n\\r\\x{2028}\\x{2029}";

const ESCAPE =
  /\\(?:u\{(?<point>[\da-f]+)\}|u(?<unit>[\da-f]{4})|x(?<byte>[\da-f]{2})|c(?<control>[a-z])|(?<property>p\{(?:Script=|sc=|General_Category=|gc=)?(?<name>\w+)\})|(?<other>[^]))/iuy;
const GROUP = /\((?:\?(?::|<(?![=!])[^>]*>))?/uy;

const known = new Map<string, Pattern | undefined>();

/**
 * Compiles a regular expression of a schema: ECMA-262 with Unicode, else without, as JSON Schema 2020-12
 * has it (core, section 6.4). Characters are code points in both. The engine never backtracks, so that its
 * time is linear in the length of the text.
 * @returns `undefined` for a pattern that cannot be judged: another dialect, look-around, back references,
 * or anything else that the engine does not support
 */
export function linearPattern(pattern: string): Pattern | undefined {
  if (!known.has(pattern)) known.set(pattern, compile(pattern));
  return known.get(pattern);
}

function compile(pattern: string): Pattern | undefined {
  const unicode = isPattern(pattern, "u");
  if (!unicode && !isPattern(pattern, "")) return undefined;
  const translated = translate(pattern, unicode);
  if (translated === undefined) return undefined;
  try {
    const engine = RE2JS.compile(translated);
    return { test: (text) => engine.test(text), toString: () => pattern };
  } catch {
    return undefined; // Too large a repetition, or a property of Unicode that it does not know.
  }
}

function isPattern(pattern: string, flags: string): boolean {
  try {
    return new RegExp(pattern, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

/** A pattern of ECMA-262 in the syntax of RE2; `undefined` if RE2 cannot express it. */
function translate(pattern: string, unicode: boolean): string | undefined {
  let out = "";
  let at = 0;
  while (at < pattern.length) {
    const character = pattern.charAt(at);
    if (character === "\\") {
      const escape = readEscape(pattern, at, unicode);
      if (!escape) return undefined;
      out += escape.members === undefined ? escape.text : `[${escape.members}]`;
      at = escape.end;
    } else if (character === "[") {
      const found = translateClass(pattern, at, unicode);
      if (!found) return undefined;
      out += found.text;
      at = found.end;
    } else if (character === "(") {
      GROUP.lastIndex = at;
      const [group = ""] = GROUP.exec(pattern) ?? [];
      if (pattern.startsWith("(?", at) && group === "(") return undefined;
      out += "(?:";
      at += group.length;
    } else {
      out += character === "." ? `[^${LINE_ENDS}]` : character;
      at += 1;
    }
  }
  return out;
}

/** Translates the class that begins at `start`. */
function translateClass(
  pattern: string,
  start: number,
  unicode: boolean,
): { readonly text: string; readonly end: number } | undefined {
  const negated = pattern.startsWith("[^", start);
  let members = "";
  let at = start + (negated ? 2 : 1);
  /** Beside a class escape a hyphen is an ordinary character. */
  let afterSet = false;
  while (pattern.charAt(at) !== "]") {
    const character = pattern.charAt(at);
    if (character === "") return undefined;
    if (character === "\\") {
      const escape = readEscape(pattern, at, unicode, true);
      if (!escape) return undefined;
      members += escape.members ?? escape.text;
      afterSet = escape.isSet;
      at = escape.end;
    } else {
      members +=
        character === "[" || (character === "-" && afterSet) ? `\\${character}` : character;
      afterSet = false;
      at += 1;
    }
  }
  const end = at + 1;
  if (members === "") return { text: negated ? `[${ANY}]` : `[^${ANY}]`, end };
  return { text: `[${negated ? "^" : ""}${members}]`, end };
}

interface Escape {
  readonly text: string;
  /** Members of a class, if the escape stands for one and RE2 has no escape for it. */
  readonly members?: string;
  readonly isSet: boolean;
  readonly end: number;
}

/** Reads the escape at `start`; `undefined` if it cannot be translated. */
function readEscape(
  pattern: string,
  start: number,
  unicode: boolean,
  inClass = false,
): Escape | undefined {
  ESCAPE.lastIndex = start;
  const groups = ESCAPE.exec(pattern)?.groups;
  if (!groups) return undefined;
  const end = ESCAPE.lastIndex;
  const { point, unit, byte, control, property, name, other = "" } = groups;
  const character = (code: number): Escape => ({
    text: `\\x{${code.toString(16)}}`,
    isSet: false,
    end,
  });
  // Without Unicode, `\u{61}` is a repeated u. A surrogate is half of a character for the engine.
  if (point !== undefined) return unicode ? character(Number.parseInt(point, 16)) : undefined;
  const code = unit ?? byte;
  if (code !== undefined) {
    const value = Number.parseInt(code, 16);
    return value >= 0xd800 && value <= 0xdfff ? undefined : character(value);
  }
  if (control !== undefined) return character(control.charCodeAt(0) % 32);
  if (property !== undefined) {
    const letter = property.charAt(0);
    return unicode ? { text: `\\${letter}{${name}}`, isSet: true, end } : undefined;
  }
  if (/^[dDwW]$/.test(other)) return { text: `\\${other}`, isSet: true, end };
  if (other === "s" || other === "S") {
    return { text: "", members: other === "s" ? SPACE : NO_SPACE, isSet: true, end };
  }
  if (/^[fnrt]$/.test(other)) return { text: `\\${other}`, isSet: false, end };
  if (other === "v") return character(0x0b);
  if (other === "b") return inClass ? character(8) : { text: "\\b", isSet: false, end };
  if (other === "B") return inClass ? undefined : { text: "\\B", isSet: false, end };
  if (other === "0") return /\d/.test(pattern.charAt(end)) ? undefined : character(0);
  if (/^[\dckpPux]$/.test(other)) return undefined;
  return character(other.codePointAt(0) ?? 0);
}
