/** A count with its noun: `1 case`, `2 cases`. `plural` defaults to the noun with an `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A text with a capital as its first letter, to begin a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}

/** A text in upper case, or in lower case where it already is in upper case. */
export function otherCase(text: string): string {
  const upper = text.toUpperCase();
  return upper === text ? text.toLowerCase() : upper;
}

/** A text with its first letter small. */
export function uncapitalized(text: string): string {
  return text.slice(0, 1).toLowerCase() + text.slice(1);
}

/** Items as a list in words: `a, b and c`. Empty for none. */
export function listed(items: readonly string[], last: "and" | "or" = "and"): string {
  const before = items.slice(0, -1).join(", ");
  const end = items.at(-1) ?? "";
  return before === "" ? end : `${before} ${last} ${end}`;
}
