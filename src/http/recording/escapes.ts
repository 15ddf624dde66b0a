/** Decodes the escapes of JSON, JavaScript, HTML and URLs, so that a search finds a text in every spelling. */

/** Names of ASCII characters that HTML decodes without a semicolon too. */
const WITHOUT_SEMICOLON = "amp|AMP|lt|LT|gt|GT|quot|QUOT";
const ESCAPE = new RegExp(
  [
    // `\u{2B}`, `\u002B`, `\U0000002B`, `\x2B`, `\053`, `\/`
    String.raw`\\(?:u\{0*[\da-fA-F]{1,6}\}|U[\da-fA-F]{8}|[uU][\da-fA-F]{4}|[xX][\da-fA-F]{2}|[0-3][0-7]{2}|[^])`,
    // `&#43;`, `&#0043`, `&#x2B;`, `&plus;`, and with an escaped semicolon `&lt\;`
    String.raw`&(?:#0*\d{1,7}|#[xX]0*[\da-fA-F]{1,6}|${WITHOUT_SEMICOLON})(?:\\?;)?|&[a-zA-Z]{2,16};`,
    // `%2B`, `%C3%BC`, `%u002B`
    String.raw`%[0-7][\da-fA-F]|%[89a-fA-F][\da-fA-F](?:%[89abAB][\da-fA-F]){0,3}|%[uU][\da-fA-F]{4}`,
  ].join("|"),
  "g",
);
/** Escapes of JSON in a row. They are decoded together: an answer may consist of them. */
const JSON_ESCAPES = /(?:\\(?:u[\da-fA-F]{4}|["\\/bfnrt])){2,1000}/;
const RUN_OR_ESCAPE = new RegExp(`${JSON_ESCAPES.source}|${ESCAPE.source}`, "g");
const HAS_ESCAPE = /[\\&%]/;

const CONTROLS: Readonly<Record<string, string>> = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
};

/** HTML's names of ASCII characters, and of those that show nothing. */
const ENTITIES: ReadonlyMap<string, string> = new Map(
  Object.entries({
    "\t": "Tab",
    "\n": "NewLine",
    "!": "excl",
    '"': "quot QUOT",
    "#": "num",
    $: "dollar",
    "%": "percnt",
    "&": "amp AMP",
    "'": "apos",
    "(": "lpar",
    ")": "rpar",
    "*": "ast midast",
    "+": "plus",
    ",": "comma",
    ".": "period",
    "/": "sol",
    ":": "colon",
    ";": "semi",
    "<": "lt LT",
    "=": "equals",
    ">": "gt GT",
    "?": "quest",
    "@": "commat",
    "[": "lsqb lbrack",
    "\\": "bsol",
    "]": "rsqb rbrack",
    "^": "Hat",
    _: "lowbar UnderBar",
    "`": "grave",
    "{": "lcub lbrace",
    "|": "verbar vert VerticalLine",
    "}": "rcub rbrace",
    "\u00A0": "nbsp NonBreakingSpace",
    "\u00AD": "shy",
    "\u200B": "ZeroWidthSpace NegativeThinSpace",
    "\u200C": "zwnj",
    "\u200D": "zwj",
    "\u2002": "ensp",
    "\u2003": "emsp",
    "\u2009": "thinsp ThinSpace",
    "\u2060": "NoBreak",
  }).flatMap(([character, names]) => names.split(" ").map((name) => [name, character] as const)),
);

/** A text that was made of another one. */
export interface View {
  readonly text: string;
  /** Where a part of `text` is in the original text. */
  readonly place: (from: number, to: number) => readonly [from: number, to: number];
}

/** The view of a text as it is. */
export function plain(text: string): View {
  return { text, place: (from, to) => [from, to] };
}

/**
 * A view, then the same with its escapes decoded once, twice and so on. Each round takes time
 * proportional to the text.
 * @param rounds the most rounds of decoding
 */
export function views(start: View, rounds: number): View[] {
  const found: View[] = [];
  let view: View | undefined = start;
  for (let round = 0; view && round <= rounds; round++) {
    found.push(view);
    view = undone(view);
  }
  return found;
}

/** A text with its escapes decoded at most `rounds` times. */
export function unescaped(text: string, rounds: number): string {
  return views(plain(text), rounds).at(-1)?.text ?? text;
}

/** White space, controls, and characters that show nothing. */
const BLANKS = /[\s\p{Cc}\p{Default_Ignorable_Code_Point}]+/gu;

/** A text without the characters that may break a word without being part of it. */
export function withoutBlanks(text: string): string {
  return text.replaceAll(BLANKS, "");
}

/** The view without blanks; the view itself where it has none. */
export function joined(before: View): View {
  const text = withoutBlanks(before.text);
  if (text.length === before.text.length) return before;
  let origins: Uint32Array | undefined;
  return {
    text,
    place(from, to) {
      // Computed only when a search found something.
      origins ??= originsIn(before.text, text.length, BLANKS, () => "");
      return before.place(origins[from] ?? 0, (origins[to - 1] ?? 0) + 1);
    },
  };
}

/** `undefined` where there is nothing to decode. */
function undone(before: View): View | undefined {
  if (!HAS_ESCAPE.test(before.text)) return undefined;
  const text = before.text.replaceAll(RUN_OR_ESCAPE, meaning);
  if (text === before.text) return undefined;
  let origins: Uint32Array | undefined;
  return {
    text,
    place(from, to) {
      // Computed only when a search found something.
      origins ??= originsIn(before.text, text.length, ESCAPE, meaning);
      const end = before.text.length;
      return before.place(origins[from] ?? end, origins[to] ?? end);
    },
  };
}

/** For each character of a text of this length, in which matches were replaced, and for its end: the index in the original. */
function originsIn(
  original: string,
  length: number,
  pattern: RegExp,
  replaced: (match: string) => string,
): Uint32Array {
  const origins = new Uint32Array(length + 1);
  let [at, from] = [0, 0];
  const copy = (to: number): void => {
    while (from < to) origins[at++] = from++;
  };
  for (const { 0: match, index } of original.matchAll(pattern)) {
    copy(index);
    const { length: characters } = replaced(match);
    origins.fill(index, at, at + characters);
    at += characters;
    from = index + match.length;
  }
  copy(original.length + 1);
  return origins;
}

/** Decodes one escape, or several of JSON in a row. */
function meaning(escape: string): string {
  if (escape.startsWith("%")) return percentDecoded(escape);
  if (escape.startsWith("&")) return entity(escape.slice(1).replace(/\\?;/, "")) ?? escape;
  const character = escape.charAt(1);
  if (escape.length === 2) return CONTROLS[character] ?? character;
  if (escape.includes("\\", 1)) return JSON.parse(`"${escape}"`) as string;
  if (/\d/.test(character)) return String.fromCharCode(Number.parseInt(escape.slice(1), 8));
  return fromCode(escape.slice(2).replace("{", ""), 16) ?? escape;
}

function percentDecoded(run: string): string {
  if (/^%u/i.test(run)) return String.fromCharCode(Number.parseInt(run.slice(2), 16));
  if (run.length === 3) return String.fromCharCode(Number.parseInt(run.slice(1), 16));
  const bytes = Buffer.from(run.replaceAll("%", ""), "hex");
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") ? bytes.toString("latin1") : text;
}

function entity(name: string): string | undefined {
  if (!name.startsWith("#")) return ENTITIES.get(name);
  return /^#x/i.test(name) ? fromCode(name.slice(2), 16) : fromCode(name.slice(1), 10);
}

function fromCode(digits: string, base: number): string | undefined {
  const code = Number.parseInt(digits, base);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
