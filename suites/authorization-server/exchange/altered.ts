import { parseToken } from "../../../src/tokens/parse.ts";

/**
 * A code or refresh token with one letter replaced, in the middle or soon after. Another letter than the same one in
 * the other case, because a server may read it as hexadecimal digits. In a signed JWT it is a letter of the signature:
 * a server that verifies none reads the rest all the same.
 */
export function altered(text: string): string {
  const start = typeof parseToken(text) === "string" ? 0 : text.lastIndexOf(".") + 1;
  const middle = start + Math.floor((text.length - start) / 2);
  const found = text.slice(middle).search(/[A-Za-z\d]/);
  const at = middle + Math.max(found, 0);
  return text.slice(0, at) + (text[at]?.toUpperCase() === "A" ? "B" : "A") + text.slice(at + 1);
}
