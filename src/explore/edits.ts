/**
 * What programs do to texts: they cut, pad, decode, split, fold and wrap them. Each way is a function of the right text and a number,
 * which chooses the place or the form; 0 is the simplest.
 */
export interface Edit {
  /** The end of a sentence, such as "without its end". */
  readonly what: string;
  readonly make: (right: string, n: number) => unknown;
}

/** The item that a number chooses. */
export function chosen<T>(items: readonly T[], n: number): T {
  if (items.length === 0) throw new TypeError("there is nothing to choose from");
  return items[n % items.length] as T;
}

const SEPARATORS = [",", " ", ";", "|", "\n", "\t", "+", "&", "/", ":", "%20", "%2C", ", ", "\0"];
const BLANKS = [" ", "\t", "\n", "\r\n", "\u00a0", "\u200b", "\ufeff", "\u2003", "\v", "\f"].concat(
  ["\u0085", "\u2028", "\u3000", "\0", "\r", "\u00ad"],
);
const ENDS = [
  "x",
  "/",
  ".",
  "/x",
  "?x",
  "#x",
  "*",
  "%",
  "@x",
  ".example",
  ":8443",
  "//",
  "/.",
].concat([
  "%00",
  "%20",
  "%2F",
  "-x",
  "_x",
  "0",
  "\\",
  ";x",
  "'",
  '"',
  "\0x",
  "/..",
  "/%2e%2e",
  "?",
  "#",
]);
const BEGINNINGS = [
  "x",
  "/",
  ".",
  "*",
  "https://x.example/",
  "https://x.example/?u=",
  "x@",
  "%",
].concat(["-", "x.", "http://", "urn:", "urn:uuid:", "0", "\\", "'", '"', "\0", "!", "Bearer "]);
const MEMBERS = ["value", "id", "name", "0", "url", "href", "$eq", "text", "@id", "uuid"];
const PATTERNS = [".*", "*", "%", "_", "?", "^", "$", "[", "|", ".+", "(?:)", "\\", "{}", "**"];

/** Letters of other scripts, and compatible forms, that folding or a reader takes for the letter. */
const LOOK_ALIKES: Readonly<Record<string, string>> = {
  a: "\u0430",
  c: "\u0441",
  e: "\u0435",
  i: "\u0131",
  k: "\u212a",
  o: "\u043e",
  p: "\u0440",
  s: "\u017f",
  x: "\u0445",
  ":": "\uff1a",
  "/": "\uff0f",
  ".": "\uff0e",
  "-": "\u2010",
};

/** The characters of a text as JavaScript counts them. */
function charactersOf(text: string): string[] {
  return text.split("");
}

/** Words that mean nothing to anybody. */
function words(n: number): string {
  return Array.from({ length: 1 + n }, (_, at) => `conformance.x${at}:read`).join(" ");
}

/** A place inside a text, spread over it. */
function placeIn(text: string, n: number): number {
  return text.length === 0 ? 0 : (n * 7) % text.length;
}

function withCharacter(text: string, at: number, make: (character: string) => string): string {
  return text.slice(0, at) + make(text.charAt(at)) + text.slice(at + 1);
}

/** The next digit, or the next letter, which is another character of the same kind. */
function neighbour(character: string): string {
  if (/[0-8a-eg-yA-EG-Y]/.test(character))
    return String.fromCodePoint((character.codePointAt(0) ?? 0) + 1);
  if (/[9fF]/.test(character)) return "0";
  return "x";
}

function otherCaseOf(text: string): string {
  return text.toLowerCase() === text ? text.toUpperCase() : text.toLowerCase();
}

function percent(character: string): string {
  return [...Buffer.from(character)]
    .map((byte) => `%${byte.toString(16).padStart(2, "0")}`)
    .join("");
}

/** The index of a character of a kind, chosen among all of them; any character where there is none. */
function indexOfKind(text: string, kind: RegExp, n: number): number {
  const found = charactersOf(text).flatMap((character, at) => (kind.test(character) ? [at] : []));
  return found.length === 0 ? placeIn(text, n) : chosen(found, n);
}

function fullWidth(character: string): string {
  const code = character.codePointAt(0) ?? 0;
  return code > 32 && code < 127 ? String.fromCodePoint(code + 0xfee0) : character;
}

/** Edits of any text. */
export const EDITS: Readonly<Record<string, Edit>> = {
  "more after": { what: "with more after it", make: (right, n) => right + chosen(ENDS, n) },
  "more before": { what: "with more before it", make: (right, n) => chosen(BEGINNINGS, n) + right },
  "without end": {
    what: "without its end",
    make: (right, n) => right.slice(0, -1 - (n % Math.max(1, right.length - 1))),
  },
  "without beginning": {
    what: "without its beginning",
    make: (right, n) => right.slice(1 + (n % Math.max(1, right.length - 1))),
  },
  "without a character": {
    what: "without one of its characters",
    make: (right, n) => withCharacter(right, placeIn(right, n), () => ""),
  },
  "another character": {
    what: "with another character in one place",
    make: (right, n) => withCharacter(right, placeIn(right, n), neighbour),
  },
  "another last character": {
    what: "with another character near its end",
    make: (right, n) => withCharacter(right, Math.max(0, right.length - 1 - (n % 4)), neighbour),
  },
  "one part": {
    what: "reduced to one of its parts",
    make: (right, n) =>
      chosen(
        right
          .split(/[:/.\-\s]+/)
          .filter(Boolean)
          .concat("x"),
        n,
      ),
  },
  "without a part": {
    what: "without one of its parts",
    make: (right, n) => {
      const parts = right.split(/(?<=[:/.\-\s])/);
      return parts.filter((_, at) => at !== n % parts.length).join("");
    },
  },
  "another part": {
    what: "with another text for one of its parts",
    make: (right, n) => {
      const parts = right.split(/([:/.\-\s]+)/);
      const at = 2 * (n % Math.ceil(parts.length / 2));
      return parts
        .map((part, i) => (i === at ? charactersOf(part).map(neighbour).join("") : part))
        .join("");
    },
  },
  "a part twice": {
    what: "with one of its parts twice",
    make: (right, n) => {
      const parts = right.split(/(?<=[:/.\-\s])/);
      return parts.map((part, at) => (at === n % parts.length ? part + part : part)).join("");
    },
  },
  "other separators": {
    what: "with other separators between its parts",
    make: (right, n) => right.replaceAll(/[:/.-]/g, chosen(["_", "", "-", " ", ".", ":", "/"], n)),
  },
  "other case": {
    what: "in another case",
    make: (right, n) =>
      chosen(
        [otherCaseOf(right), right.toUpperCase(), right.charAt(0).toUpperCase() + right.slice(1)],
        n,
      ),
  },
  "a letter in the other case": {
    what: "with one letter in the other case",
    make: (right, n) => withCharacter(right, indexOfKind(right, /[a-z]/i, n), otherCaseOf),
  },
  blank: {
    what: "with a blank beside it",
    make: (right, n) => {
      const text = chosen(BLANKS, n >> 1);
      return n % 2 === 0 ? right + text : text + right;
    },
  },
  "blanks around": {
    what: "between blanks",
    make: (right, n) => chosen(BLANKS, n) + right + chosen(BLANKS, n),
  },
  "a blank inside": {
    what: "with a blank inside it",
    make: (right, n) => withCharacter(right, placeIn(right, n), (one) => chosen(BLANKS, n) + one),
  },
  "listed first": {
    what: "at the start of a list in one text",
    make: (right, n) => `${right}${chosen(SEPARATORS, n)}x`,
  },
  "listed last": {
    what: "at the end of a list in one text",
    make: (right, n) => `x${chosen(SEPARATORS, n)}${right}`,
  },
  "listed in the middle": {
    what: "in the middle of a list in one text",
    make: (right, n) => `x${chosen(SEPARATORS, n)}${right}${chosen(SEPARATORS, n)}y`,
  },
  "after many words": {
    what: "after many words",
    make: (right, n) => `${words(n)} ${right}`,
  },
  "before many words": {
    what: "before many words",
    make: (right, n) => `${right} ${words(n)}`,
  },
  twice: { what: "twice", make: (right, n) => right + chosen(["", ...SEPARATORS], n) + right },
  "percent encoding of a character": {
    what: "with one character percent-encoded",
    make: (right, n) => withCharacter(right, placeIn(right, n), percent),
  },
  "percent encoding of a separator": {
    what: "with a separator percent-encoded",
    make: (right, n) => withCharacter(right, indexOfKind(right, /\W/, n), percent),
  },
  "percent encoding": {
    what: "percent-encoded",
    make: (right, n) =>
      chosen([encodeURIComponent(right), charactersOf(right).map(percent).join("")], n),
  },
  "percent encoding twice": {
    what: "percent-encoded twice",
    make: (right, n) =>
      chosen(
        [
          encodeURIComponent(encodeURIComponent(right)),
          right.replaceAll(/\W/g, (one) => `%25${percent(one).slice(1)}`),
        ],
        n,
      ),
  },
  "other encoding": {
    what: "in another encoding",
    make: (right, n) =>
      chosen(
        [
          Buffer.from(right).toString("base64url"),
          Buffer.from(right).toString("base64"),
          Buffer.from(right).toString("hex"),
          right.replaceAll("/", "&#x2F;").replaceAll("-", "&#45;"),
          right.replaceAll("/", String.raw`\/`).replaceAll("-", String.raw`\-`),
          right.replaceAll(
            /\W/g,
            (one) => String.raw`\u${(one.codePointAt(0) ?? 0).toString(16).padStart(4, "0")}`,
          ),
          right.replaceAll(/[:\s]/g, "+"),
        ],
        n,
      ),
  },
  "look-alike": {
    what: "with a letter that looks like one of its own, or folds to it",
    make: (right, n) =>
      withCharacter(
        right,
        indexOfKind(right, /[aceikopsx:/.-]/, n),
        (one) => LOOK_ALIKES[one] ?? fullWidth(one),
      ),
  },
  "full width": {
    what: "with a character in full width",
    make: (right, n) => withCharacter(right, placeIn(right, n), fullWidth),
  },
  "combining mark": {
    what: "with a combining mark or an invisible character inside",
    make: (right, n) =>
      withCharacter(
        right,
        placeIn(right, n),
        (one) => one + chosen(["\u0301", "\u200d", "\u00ad", "\u200e", "\ufe0f"], n),
      ),
  },
  quoted: {
    what: "in quotes or brackets",
    make: (right, n) =>
      chosen(
        [`"${right}"`, `'${right}'`, `<${right}>`, `{${right}}`, `[${right}]`, `(${right})`],
        n,
      ),
  },
  "JSON text": {
    what: "inside JSON that is a text",
    make: (right, n) =>
      JSON.stringify(
        chosen<unknown>([[right], { value: right }, ["x", right], { [right]: true }], n),
      ),
  },
  array: {
    what: "in an array",
    make: (right, n) => chosen<unknown>([[right], [[right]], [right, right]], n),
  },
  "array with others": {
    what: "in an array with others",
    make: (right, n) =>
      chosen<unknown>(
        [["x", right], [right, "x"], ["x", [right]], [{ value: right }], [null, right]],
        n,
      ),
  },
  object: {
    what: "inside an object",
    make: (right, n) => ({ [chosen(MEMBERS, n)]: right }),
  },
  "deep object": {
    what: "deep inside an object",
    make: (right, n) => ({ [chosen(MEMBERS, n)]: { [chosen(MEMBERS, n + 1)]: right } }),
  },
  "object of members": {
    what: "as the name of a member",
    make: (right, n) => ({ [right]: chosen<unknown>([true, right, {}, 1], n) }),
  },
  pattern: { what: "replaced by a pattern", make: (_right, n) => chosen(PATTERNS, n) },
  "beginning and a pattern": {
    what: "with a pattern for its end",
    make: (right, n) => right.slice(0, placeIn(right, n)) + chosen([".*", "*", "%", "**"], n),
  },
  "a wildcard inside": {
    what: "with a wildcard for one character",
    make: (right, n) =>
      withCharacter(right, placeIn(right, n), () => chosen([".", "_", "?", "*", "%"], n)),
  },
};

/** Edits of a URL. */
export const URL_EDITS: Readonly<Record<string, Edit>> = {
  "another scheme": {
    what: "with another scheme",
    make: (right, n) =>
      right.replace(
        /^\w+:/,
        chosen(["http:", "https:", "ftp:", "HTTPS:", ""], n + Number(right.startsWith("http:"))),
      ),
  },
  "another host": {
    what: "on another host",
    make: (right, n) =>
      right.replace(
        /^(\w+:\/\/)([^/:?#]*)/,
        (_all, scheme: string, host: string) =>
          scheme +
          chosen(
            [
              `x.${host}`,
              `${host}.x.example`,
              `x${host}`,
              `x@${host}`,
              `${host}@x.example`,
              `${host}.`,
              `x.example/${host}`,
              `${host}\\.x.example`,
              `${host}x`,
              "x.example",
            ],
            n,
          ),
      ),
  },
  "another port": {
    what: "on another port",
    make: (right, n) =>
      right.replace(
        /^(\w+:\/\/[^/:?#]*)(:\d+)?/,
        (_all, start: string, port = "") =>
          start +
          chosen([port === "" ? ":1" : "", ":8443", `${port}0`, `${port || ":44"}3`, ":0", ":"], n),
      ),
  },
  "another path": {
    what: "with another path",
    make: (right, n) => {
      const [, start = "", path = ""] = /^(\w+:\/\/[^/?#]*)(.*)$/s.exec(right) ?? ["", right, ""];
      const bare = path.replace(/\/$/, "");
      const last = bare.slice(bare.lastIndexOf("/") + 1);
      return (
        start +
        chosen(
          [
            bare.slice(0, bare.lastIndexOf("/")),
            `${bare}/v2`,
            `${bare}/orgs`,
            `/x${bare}`,
            `${bare}/../x`,
            `/${bare}`,
            `${bare}x`,
            `${bare}-x`,
            `/./x/..${bare}`,
            bare.replace(last, otherCaseOf(last)),
            `${bare}/.`,
            "/x",
            bare.replace(/^\//, "/%2e/"),
            bare.replace(last, last.slice(0, -1)),
          ],
          n,
        )
      );
    },
  },
  "a query": {
    what: "with a query or a fragment",
    make: (right, n) => right + chosen(["?", "#", "?x=1", "#x", "/?", "/#", ";x=1", "?#", "&x"], n),
  },
  "without its scheme": {
    what: "without its scheme",
    make: (right, n) => right.replace(/^\w+:/, "").slice(n % 2 === 0 ? 2 : 0),
  },
};

/** Edits of a UUID. */
export const ID_EDITS: Readonly<Record<string, Edit>> = {
  groups: {
    what: "with its groups in another form",
    make: (right, n) => {
      const groups = right.split("-");
      return chosen(
        [
          groups.slice(0, -1).join("-"),
          groups.slice(1).join("-"),
          groups[0] ?? "",
          groups.at(-1) ?? "",
          groups.toReversed().join("-"),
          groups.slice(0, 2).join("-"),
          `${groups[0]}-0000-0000-0000-000000000000`,
          `00000000-0000-0000-0000-${groups.at(-1)}`,
          `${groups.slice(0, 4).join("-")}-000000000000`,
        ],
        n,
      );
    },
  },
  "another group": {
    what: "with another group",
    make: (right, n) => {
      const groups = right.split("-");
      return groups
        .map((one, at) =>
          at === n % groups.length ? charactersOf(one).map(neighbour).join("") : one,
        )
        .join("-");
    },
  },
};

/** Notations of a number. */
export const NUMBER_EDITS: Readonly<Record<string, Edit>> = {
  text: {
    what: "as text",
    make: (right, n) =>
      chosen([right, `${right}.0`, ` ${right}`, `+${right}`, `${right}e0`, `0${right}`], n),
  },
  "with a unit": {
    what: "as text with more",
    make: (right, n) =>
      chosen(
        [
          `${right}s`,
          `${right}Z`,
          `${right} GMT`,
          `x${right}`,
          `${right},0`,
          `${right}n`,
          `${right}_000`,
        ],
        n,
      ),
  },
  date: {
    what: "as a date",
    make: (right, n) => {
      const date = new Date(Number(right) * 1000);
      if (Number.isNaN(date.getTime())) return `${right}T00:00:00Z`;
      return chosen(
        [date.toISOString(), date.toUTCString(), date.toISOString().slice(0, 10), String(date)],
        n,
      );
    },
  },
  hexadecimal: {
    what: "in another base",
    make: (right, n) =>
      chosen(
        [
          `0x${Number(right).toString(16)}`,
          `0b${Number(right).toString(2)}`,
          `0o${Number(right).toString(8)}`,
          Number(right).toString(36),
        ],
        n,
      ),
  },
  fraction: {
    what: "with a fraction",
    make: (right, n) => Number(right) + chosen([0.5, 0.999, 0.001], n),
  },
  negative: { what: "negative", make: (right) => -Number(right) },
  array: {
    what: "in an array",
    make: (right, n) => chosen<unknown>([[Number(right)], [right], [Number(right), 0]], n),
  },
  object: {
    what: "inside an object",
    make: (right, n) => ({
      [chosen(["$date", "value", "seconds", "$numberLong"], n)]: Number(right),
    }),
  },
};

/** Every edit, by its name with what it is an edit of. */
export const ALL_EDITS: Readonly<Record<string, Edit>> = {
  ...EDITS,
  ...prefixed("URL", URL_EDITS),
  ...prefixed("id", ID_EDITS),
  ...prefixed("number", NUMBER_EDITS),
};

function prefixed(of: string, edits: Readonly<Record<string, Edit>>): Record<string, Edit> {
  return Object.fromEntries(Object.entries(edits).map(([name, edit]) => [`${of}: ${name}`, edit]));
}

/** An edit as data. */
export interface Edited {
  /** A name in `ALL_EDITS`. */
  readonly how: string;
  readonly n: number;
}

/** The right text after an edit. A result that is no text stays as it is. */
export function edited(right: string, { how, n }: Edited): unknown {
  const made = ALL_EDITS[how]?.make(right, n);
  // Half of a character is in no URL and in no UTF-8.
  return typeof made === "string" ? made.replaceAll(/\p{Cs}/gu, "\uFFFD") : made;
}
