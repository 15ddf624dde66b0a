/** How binding a requirement is (RFC 2119). OBSERVE: left open, and so recorded, never judged. */
export type Level = "MUST" | "SHOULD" | "OBSERVE";

/** Every level, the most binding first. */
export const LEVELS: readonly [Level, ...Level[]] = ["MUST", "SHOULD", "OBSERVE"];
