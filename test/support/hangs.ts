/** Milliseconds after which something hangs for ever, as nothing does that only runs on a slow machine. */
export const HANGS_MS = 600_000;
