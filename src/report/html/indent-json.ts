const TOKEN = /"(?:[^"\\]|\\[^])*"?|[[{]\s*[\]}]|[[{\]},:]|\s+/g;
/** Deeper than this, indentation only pushes the text out of sight. */
const DEEPEST = 16;
/** In UTF-16 units. A text that would become longer is better read as it was sent. */
const LONGEST = 8192;

/**
 * JSON on several lines, indented by two spaces. Nothing but white space between tokens is changed:
 * numbers, escapes and repeated members stay as they were sent, and JSON that breaks off is indented as
 * far as it goes. Text that does not begin like an object or an array comes back as it is.
 */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let depth = 0;
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  const indented = text.replaceAll(TOKEN, (token) => {
    switch (token) {
      case "{":
      case "[":
        depth += 1;
        return token + newLine();
      case "}":
      case "]":
        depth = Math.max(0, depth - 1);
        return newLine() + token;
      case ",":
        return token + newLine();
      case ":":
        return ": ";
      default:
        return token.trim() === "" ? "" : token;
    }
  });
  return indented.length <= LONGEST ? indented : text;
}
