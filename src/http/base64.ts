/** Shorter pieces occur in other data by chance. */
const SHORTEST_PIECE = 8;

/**
 * What the base64 of any text shows that contains this one, in both alphabets of RFC 4648: a piece for each of the three
 * ways in which three bytes may fall on it. Pieces that are too short to tell anything are left out.
 */
export function base64Pieces(text: string): string[] {
  const pieces = ["", "\0", "\0\0"].map((before) => {
    const bytes = Buffer.from(before + text, "utf8");
    // Characters that hold bits of a neighbour too may be any.
    const [from, to] = [Math.ceil((8 * before.length) / 6), Math.floor((8 * bytes.length) / 6)];
    return bytes.toString("base64").slice(from, to);
  });
  const long = pieces.filter(({ length }) => length >= SHORTEST_PIECE);
  return [...new Set([...long, ...long.map(urlSafe)])];
}

function urlSafe(base64: string): string {
  return base64.replaceAll("+", "-").replaceAll("/", "_");
}
