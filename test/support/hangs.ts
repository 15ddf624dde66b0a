/** Milliseconds after which something counts as hanging. Nothing takes that long, even on a slow machine. */
export const HANGS_MS = 600_000;
