/** A count with its noun: `1 case`, `2 cases`. `plural` defaults to the noun with an `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}

/** A text with a capital as its first letter, to begin a sentence. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
