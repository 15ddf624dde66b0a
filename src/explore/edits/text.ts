import {
  LOOK_ALIKES,
  charactersOf,
  fullWidth,
  indexOfKind,
  neighbour,
  otherCaseOf,
  percent,
  placeIn,
  withCharacter,
  words,
} from "./characters.ts";
import { chosen, type Edit } from "./edit.ts";

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
