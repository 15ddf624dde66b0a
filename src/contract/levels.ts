/**
 * How binding a requirement is, RFC 2119 and RFC 8174.
 * OBSERVE is for what the contract leaves open: recorded, never judged.
 */
export type Level = "MUST" | "SHOULD" | "OBSERVE";
