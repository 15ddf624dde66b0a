const UNITS: readonly (readonly [seconds: number, name: string])[] = [
  [365 * 86_400, "years"],
  [86_400, "days"],
  [3600, "h"],
  [60, "min"],
  [1, "s"],
];

/** A time span in words, without its sign: `45 s`, `3 min`, `26 h`, `12 days`. */
export function spanInWords(seconds: number): string {
  const span = Math.abs(seconds);
  // The next larger unit is used only from two of it on, for more precision.
  const [size, name] = UNITS.find(([unit]) => span >= 2 * unit) ?? [1, "s"];
  return `${Math.floor(span / size)} ${name}`;
}

/**
 * The time relative to now: `in 10 min`, `3 min ago`, `now`.
 * @param seconds from now; negative for the past
 */
export function seenFromNow(seconds: number): string {
  if (Math.abs(seconds) < 1) return "now";
  return seconds > 0 ? `in ${spanInWords(seconds)}` : `${spanInWords(seconds)} ago`;
}
