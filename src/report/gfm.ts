/** Maximum size of the summary of a step on GitHub, in bytes. */
export const LARGEST_SUMMARY: number = 1024 * 1024;

/** Words that have no meaning in Markdown, with the punctuation that may surround them. */
const PLAIN_WORD = /^["“(]?\p{L}+(?:['’-]\p{L}+)*["”)]?[.,:;?]?["”)]?$/u;
/** Short numbers only, because a longer one may be read as a commit. */
const PLAIN_NUMBER = /^\(?\d{1,6}(?:\.\d{1,3})?\)?[.,:;]?$/;
/** A word in backticks in the text of a report, such as `exp`, with the punctuation around it. */
const QUOTED_WORD = /^(["“(]?)`([^`]+)`((?:['’]s)?["”)]?[.,:;?]?)$/u;
/** A sequence without spaces, or a sequence in backticks, which may contain spaces. */
const WORD = /(?:`[^`]*`|[^\s`]|`)+/gu;

/**
 * Turns untrusted text into one line of GitHub Markdown. Words stay as they are. Anything that could be
 * markup, a link, a mention or a reference to an issue becomes code, where GitHub does not interpret it.
 * @param text `printable`
 */
export function prose(text: string): string {
  const parts: string[] = [];
  let odd: string[] = [];
  const flush = (): void => {
    const [, found = "", after = ""] = /^(.+?)([.,:;]?)$/.exec(odd.join(" ")) ?? [];
    if (found !== "") parts.push(code(found) + after);
    odd = [];
  };
  for (const [word] of text.matchAll(WORD)) {
    const quoted = QUOTED_WORD.exec(word);
    const plain = PLAIN_WORD.test(word) || PLAIN_NUMBER.test(word) || word === "/";
    if (!quoted && !plain) {
      odd.push(word);
      continue;
    }
    flush();
    const [, before = "", inside = "", after = ""] = quoted ?? [];
    parts.push(quoted ? before + code(inside) + after : word);
  }
  flush();
  // At the beginning of a line, `1.` would start a list.
  return parts.join(" ").replace(/^(\d+)([.)])/, "$1\\$2");
}

/**
 * Text as code within a line.
 * @param text `printable`
 */
export function code(text: string): string {
  if (text.trim() === "") return "";
  const ticks = "`".repeat(longestRun(text) + 1);
  const pad = /^[` ]|[` ]$/.test(text) ? " " : "";
  return ticks + pad + text + pad + ticks;
}

/**
 * Lines as a block of code.
 * @param lines each `printable`
 * @param language for GitHub's highlighting
 */
export function fence(language: "text" | "sh", lines: readonly string[]): string {
  const ticks = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [ticks + language, ...lines, ticks].join("\n");
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
