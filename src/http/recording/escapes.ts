/** Decodes the escapes of JSON, HTML and URLs, so that a search finds a text in every spelling. */

/** `\u002B`, `\x2B`, `\/`; `&#43;`, `&#x2B;`, `&plus;`; `%2B`, `%C3%BC`. */
const ESCAPE =
  /\\(?:[uU][\da-fA-F]{4}|[xX][\da-fA-F]{2}|[^])|&(?:#\d{1,7}|#[xX][\da-fA-F]{1,6}|[a-zA-Z]{2,12});|%[0-7][\da-fA-F]|%[89a-fA-F][\da-fA-F](?:%[89abAB][\da-fA-F]){0,3}/g;
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

/** HTML's names of ASCII characters. */
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
  }).flatMap(([character, names]) => names.split(" ").map((name) => [name, character] as const)),
);

/** A text after some rounds of decoding escapes. */
export interface View {
  readonly text: string;
  /** Maps an index of `text`, or its end, to where that character begins in the original text. */
  readonly origin: (index: number) => number;
}

/**
 * A text, then the same text with its escapes decoded once, twice and so on. Each round takes time
 * proportional to the text.
 * @param rounds the most rounds of decoding
 */
export function views(text: string, rounds: number): View[] {
  const found: View[] = [];
  let view: View | undefined = { text, origin: (index) => index };
  for (let round = 0; view && round <= rounds; round++) {
    found.push(view);
    view = undone(view);
  }
  return found;
}

/** A text with its escapes decoded at most `rounds` times. */
export function unescaped(text: string, rounds: number): string {
  return views(text, rounds).at(-1)?.text ?? text;
}

/** `undefined` where there is nothing to decode. */
function undone(before: View): View | undefined {
  if (!HAS_ESCAPE.test(before.text)) return undefined;
  const text = before.text.replaceAll(RUN_OR_ESCAPE, meaning);
  if (text === before.text) return undefined;
  let origins: Uint32Array | undefined;
  return {
    text,
    origin(index) {
      // Computed only when a search found something.
      origins ??= originsIn(before.text, text.length);
      return before.origin(origins[index] ?? before.text.length);
    },
  };
}

/** For each character of the decoded text, and its end, the index in the escaped text. */
function originsIn(escaped: string, length: number): Uint32Array {
  const origins = new Uint32Array(length + 1);
  let at = 0;
  let from = 0;
  const copy = (to: number): void => {
    while (from < to) origins[at++] = from++;
  };
  for (const { 0: escape, index } of escaped.matchAll(ESCAPE)) {
    copy(index);
    const meant = meaning(escape).length;
    for (let nth = 0; nth < meant; nth++) origins[at++] = index;
    from = index + escape.length;
  }
  copy(escaped.length + 1);
  return origins;
}

/** Decodes one escape, or several of JSON in a row. */
function meaning(escape: string): string {
  if (escape.startsWith("%")) return percentDecoded(escape);
  if (escape.startsWith("&")) return entity(escape.slice(1, -1)) ?? escape;
  const character = escape.charAt(1);
  if (escape.length === 2) return CONTROLS[character] ?? character;
  if (escape.includes("\\", 1)) return JSON.parse(`"${escape}"`) as string;
  return String.fromCharCode(Number.parseInt(escape.slice(2), 16));
}

function percentDecoded(run: string): string {
  if (run.length === 3) return String.fromCharCode(Number.parseInt(run.slice(1), 16));
  const bytes = Buffer.from(run.replaceAll("%", ""), "hex");
  const text = bytes.toString("utf8");
  return text.includes("\uFFFD") ? bytes.toString("latin1") : text;
}

function entity(name: string): string | undefined {
  if (!name.startsWith("#")) return ENTITIES.get(name);
  const code = /^#x/i.test(name)
    ? Number.parseInt(name.slice(2), 16)
    : Number.parseInt(name.slice(1), 10);
  return code <= 0x10ffff ? String.fromCodePoint(code) : undefined;
}
