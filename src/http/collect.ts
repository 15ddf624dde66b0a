import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";

/** Characters of bodies after which what is left of them is collected. */
const EVERY = 16 * 1024 * 1024;
/** Smaller answers leave nothing that matters. */
const LARGE = 64 * 1024;

/**
 * Keeps memory from growing with what large answers leave behind: the engine would collect it only
 * once there is several times as much. The time is in proportion to the answers.
 * @returns is to be told the length of each answer before the next is read
 */
export function createCollector(): (length: number) => void {
  let left = 0;
  return (length) => {
    if (length < LARGE) return;
    left += length;
    if (left < EVERY) return;
    left = 0;
    collect();
  };
}

let collectGarbage: (() => void) | undefined;

function collect(): void {
  if (!collectGarbage) {
    setFlagsFromString("--expose-gc");
    collectGarbage = runInNewContext("gc") as () => void;
  }
  collectGarbage();
}
