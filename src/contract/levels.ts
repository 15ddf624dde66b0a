/**
 * How binding a requirement is, RFC 2119 and RFC 8174. OBSERVE marks what the contract leaves open:
 * the suite records it and never judges it.
 */
export type Level = "MUST" | "SHOULD" | "OBSERVE";

/** Every level, the most binding first. */
export const LEVELS: readonly [Level, ...Level[]] = ["MUST", "SHOULD", "OBSERVE"];
