/** A text in upper case, or in lower case where it already is in upper case. */
export function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}
