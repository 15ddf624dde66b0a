/** A count with its noun: `1 case`, `2 cases`. `plural` defaults to the noun with an `s`. */
export function counted(count: number, noun: string, plural = `${noun}s`): string {
  return `${count} ${count === 1 ? noun : plural}`;
}
