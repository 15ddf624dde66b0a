/** A claim that may be a time. */
export interface ReadTime {
  /** NaN where it is none under any reading. */
  readonly seconds: number;
  /** Whether it is a number, as RFC 7519 §2 has it. */
  readonly isNumber: boolean;
}

/** Reads a NumericDate, RFC 7519 §2, and what some parsers take for one: a string of digits, or an array of one time. */
export function readTime(value: unknown): ReadTime {
  if (typeof value === "number") return { seconds: value, isNumber: true };
  if (Array.isArray(value) && value.length === 1) {
    return { seconds: readTime(value[0]).seconds, isNumber: false };
  }
  const digits = typeof value === "string" && /^\s*[+-]?\d+(?:\.\d+)?(?:e\d+)?\s*$/i.test(value);
  return { seconds: digits ? Number(value) : Number.NaN, isNumber: false };
}
