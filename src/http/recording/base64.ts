/** Shorter pieces occur in other data by chance. */
const SHORTEST_PIECE = 8;

/**
 * The base64 pieces by which a text is recognised inside the base64 of any longer text, in both
 * alphabets of RFC 4648. There is one piece for each of the three byte alignments. Pieces too short
 * to identify the text are left out.
 */
export function base64Pieces(text: string): string[] {
  const pieces = ["", "\0", "\0\0"].map((before) => {
    const bytes = Buffer.from(before + text, "utf8");
    // Skip characters that share bits with a neighbouring byte.
    const [from, to] = [Math.ceil((8 * before.length) / 6), Math.floor((8 * bytes.length) / 6)];
    return bytes.toString("base64").slice(from, to);
  });
  const long = pieces.filter(({ length }) => length >= SHORTEST_PIECE);
  return [...new Set([...long, ...long.map(urlSafe)])];
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}
