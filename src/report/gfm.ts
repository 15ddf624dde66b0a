/** Words that no reader of Markdown takes for anything else, with what may stand around them. */
const PLAIN_WORD = /^["“(]?\p{L}+(?:['’-]\p{L}+)*["”)]?[.,:;?]?["”)]?$/u;
/** Short ones: more digits may name a commit. */
const PLAIN_NUMBER = /^\(?\d{1,6}(?:\.\d{1,3})?\)?[.,:;]?$/;
/** `exp` in the text of a report, with what may stand around it. */
const QUOTED_WORD = /^(["“(]?)`([^`]+)`((?:['’]s)?["”)]?[.,:;?]?)$/u;
/** What stands between spaces; what stands between backticks is one, spaces and all. */
const WORD = /(?:`[^`]*`|[^\s`]|`)+/gu;

/**
 * Text that may come from anybody as a line of GitHub's Markdown. Words stay as they are; whatever
 * could be markup, a link, a mention or a reference to an issue becomes code, in which GitHub looks
 * for none of these.
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
  // At the beginning of a line `1.` would be the first of a list.
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
 * @param language what GitHub highlights them as
 */
export function fence(language: "text" | "sh", lines: readonly string[]): string {
  const ticks = "`".repeat(Math.max(3, longestRun(lines.join("\n")) + 1));
  return [ticks + language, ...lines, ticks].join("\n");
}

/** The items of a list as lines, what parts it from a paragraph before it included. */
export function list(items: readonly string[]): string[] {
  return items.length > 0 ? ["", ...items] : [];
}

function longestRun(text: string): number {
  return Math.max(0, ...[...text.matchAll(/`+/g)].map(([run]) => run.length));
}
