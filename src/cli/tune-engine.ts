import { getHeapSpaceStatistics, setFlagsFromString } from "node:v8";

/**
 * Makes this process collect garbage early. With memory to spare V8 would let the remains of large answers
 * grow to several times the memory in use. The old generation grows by two fifths between two collections. There
 * is no limit: a run that needs more memory gets it.
 */
const COLLECT_SOON = ["--heap-growing-percent=40"];

/**
 * A short run ends before all that is marked step by step is collected, so the twentieth of its time that the marking takes is
 * lost. When more memory is needed, V8 still collects, in one step.
 */
const MARK_IN_ONE_STEP = "--no-incremental-marking";

/**
 * The young generation grows once, and then no more. V8 would let it grow to 32 MB. In the 2 MB that it has
 * at first, collecting takes a fifth of a run's time.
 */
const GROW_YOUNG = "--semi-space-growth-factor=4";
const KEEP_YOUNG = "--semi-space-growth-factor=1";
/** Objects that survive together make the young generation grow. */
const SURVIVORS = 20_000;
const MOST_ATTEMPTS = 10;

/**
 * undici's parser is WebAssembly. Optimizing it takes 30 MB, and twice as long as starting Node, and by then
 * the run has parsed most of its answers.
 */
const PARSE_PLAINLY = ["--liftoff-only", "--no-wasm-tier-up", "--no-wasm-dynamic-tiering"];

/**
 * Makes this process optimize code late, because most code of a run has finished before optimization pays
 * off. By major version of V8.
 */
const OPTIMIZE_LATE: Readonly<Record<string, readonly string[]>> = {
  "11": [...PARSE_PLAINLY, "--interrupt-budget=1000000"],
  "12": [...PARSE_PLAINLY, "--invocation-count-for-turbofan=30000"],
  "13": [...PARSE_PLAINLY, "--invocation-count-for-turbofan=30000"],
};

/**
 * Tunes V8 for a short process. Call it only in the command's own process, before any other code of the command is loaded, because
 * V8 accepts compiled code only with the flags with which it was compiled, and never in a program that uses the library. V8 prints
 * a warning about a flag that it does not know, so flags that may change are set only for known versions.
 * @param args the arguments after the command's name: a run of some cases takes less time than to start the command
 */
export function tuneEngine(args: readonly string[]): void {
  const isShort = args.some((word) => /^--(?:rule|failed)(?:=|$)/.test(word));
  const [major = ""] = process.versions.v8.split(".");
  for (const flag of [...COLLECT_SOON, ...(OPTIMIZE_LATE[major] ?? [])]) setFlagsFromString(flag);
  if (isShort) setFlagsFromString(MARK_IN_ONE_STEP);
  growYoungGeneration();
}

function growYoungGeneration(): void {
  setFlagsFromString(GROW_YOUNG);
  const before = youngBytes();
  for (let tries = 0; tries < MOST_ATTEMPTS && youngBytes() === before; tries++) {
    Array.from({ length: SURVIVORS }, (_, at) => ({ at }));
  }
  setFlagsFromString(KEEP_YOUNG);
}

function youngBytes(): number | undefined {
  return getHeapSpaceStatistics().find(({ space_name: name }) => name === "new_space")?.space_size;
}
