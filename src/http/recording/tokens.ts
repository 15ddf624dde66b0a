import type { Found } from "./encodings.ts";
import type { View } from "./escapes.ts";

/** Every compact JWS or JWE begins with `{"` in base64url. */
const TOKEN_START = "eyJ";
/** A JOSE header has at least the length of `{"alg":""}`. */
const SHORTEST_HEADER = 8;
/** A segment of a token on its own is longer than this, such as claims in a gateway's header. */
const SHORTEST_SEGMENT = 40;
const COMPACT = /eyJ[\w-]{5,}\.[\w-]+\.[\w.-]*/g;

/** What looks like a compact token in a text. It searches each run of token characters once, however long it is. */
export function tokensIn(text: string): Found[] {
  const found: Found[] = [];
  const rest = /[\w.-]*/y;
  for (let from = text.indexOf(TOKEN_START); from >= 0;) {
    rest.lastIndex = from;
    const run = rest.exec(text)?.[0] ?? "";
    const to = from + run.length;
    const at = tokenIn(run);
    if (at >= 0) found.push({ from: from + at, to, kind: "token" });
    from = text.indexOf(TOKEN_START, to);
  }
  return found;
}

/** Where a compact token, or a long segment of one, begins in a run; -1 where there is none. */
function tokenIn(run: string): number {
  for (let at = run.indexOf(TOKEN_START); at >= 0; at = run.indexOf(TOKEN_START, at + 1)) {
    const dot = run.indexOf(".", at);
    if (dot < 0) return run.length - at < SHORTEST_SEGMENT ? -1 : at;
    if (dot >= at + SHORTEST_HEADER) return at;
  }
  return -1;
}

/**
 * What looks like a compact token that blanks break, as parts of the text without blanks. A text
 * after the token belongs to the part too, because nothing shows where the token ends.
 * @param whole the view without blanks
 */
export function brokenTokens(view: View, whole: View): Found[] {
  if (whole === view || !whole.text.includes(TOKEN_START)) return [];
  const unbroken = new Set(Array.from(view.text.matchAll(COMPACT), ([token]) => beginning(token)));
  return [...whole.text.matchAll(COMPACT)]
    .filter(([token]) => !unbroken.has(beginning(token)))
    .map(({ 0: token, index }) => ({ from: index, to: index + token.length, kind: "token" }));
}

/** The header and the next segment of a token. */
function beginning(token: string): string {
  return token.split(".", 2).join(".");
}
