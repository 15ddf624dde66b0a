const TOKEN = /"(?:[^"\\]|\\[^])*"?|[[{]\s*[\]}]|[[{\]},:]|\s+/g;
/** No indentation beyond this depth, so that the text stays in view. */
const DEEPEST = 16;
/** In UTF-16 units. A text that would become longer is left as it is. */
const LONGEST = 8192;

/**
 * Indents JSON by two spaces. Changes only white space between tokens: numbers, escapes and repeated
 * members stay as they were sent. Incomplete JSON is indented as far as it goes. Text that does not begin
 * like an object or an array comes back unchanged.
 */
export function indentJson(text: string): string {
  if (!/^\s*[[{]/.test(text)) return text;
  let depth = 0;
  const newLine = (): string => `\n${"  ".repeat(Math.min(depth, DEEPEST))}`;
  const indented = text.replaceAll(TOKEN, (piece) => {
    switch (piece) {
      case "{":
      case "[":
        depth += 1;
        return piece + newLine();
      case "}":
      case "]":
        depth = Math.max(0, depth - 1);
        return newLine() + piece;
      case ",":
        return piece + newLine();
      case ":":
        return ": ";
      default:
        return piece.trim() === "" ? "" : piece;
    }
  });
  return indented.length <= LONGEST ? indented : text;
}
