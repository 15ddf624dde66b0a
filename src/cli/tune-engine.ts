import { setFlagsFromString } from "node:v8";

/**
 * Lets this process collect garbage soon rather than late: with memory to spare the engine would let what large answers
 * leave behind add up to several times of what is in use. The old generation grows by a fifth between two
 * collections, the young one not at all. No limit is set; a run that needs more gets it.
 */
const COLLECT_SOON = ["--heap-growing-percent=20", "--semi-space-growth-factor=1"];

/**
 * undici's parser is WebAssembly. To optimize it takes 30 MB, and twice as long as starting Node; what it parses is over
 * by then.
 */
const PARSE_PLAINLY = ["--liftoff-only", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

/** Lets this process optimize late: most code of a run is through before that has paid off. By the engine's major version. */
const OPTIMIZE_LATE: Readonly<Record<string, readonly string[]>> = {
  "11": [...PARSE_PLAINLY, "--interrupt-budget=1000000"],
  "12": [...PARSE_PLAINLY, "--invocation-count-for-turbofan=30000"],
  "13": [...PARSE_PLAINLY, "--invocation-count-for-turbofan=30000"],
};

/**
 * Tells the engine that this process is a short one. Only for a process of the command's own: of a program that uses the
 * library it is none of our business. An engine that does not know a flag would complain of it, so those that may
 * change are set where they are known.
 */
export function tuneEngine(): void {
  const [major = ""] = process.versions.v8.split(".");
  for (const flag of [...COLLECT_SOON, ...(OPTIMIZE_LATE[major] ?? [])]) setFlagsFromString(flag);
}
