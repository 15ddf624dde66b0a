/**
 * What programs do to texts: they cut, pad, decode, split, fold and wrap them. Each way is a function of the right text and a number,
 * which chooses the place or the form; 0 is the simplest.
 */
export interface Edit {
  /** The end of a sentence, such as "without its end". */
  readonly what: string;
  readonly make: (right: string, n: number) => unknown;
}

/** The item that a number chooses. */
export function chosen<T>(items: readonly T[], n: number): T {
  if (items.length === 0) throw new TypeError("there is nothing to choose from");
  return items[n % items.length] as T;
}
