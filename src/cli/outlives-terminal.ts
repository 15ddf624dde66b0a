import { readFileSync } from "node:fs";
import { basename } from "node:path";

/**
 * Whether this process was started so that it outlives its terminal. `nohup` has SIGHUP ignored, but Node resets that when it
 * starts. So this looks for the traces that are left: the name of the command that the shell started, a standard input
 * that is open for writing only, which `nohup` puts in the place of a terminal, and a parent that ignores the signal.
 */
export function outlivesTerminal(env: NodeJS.ProcessEnv): boolean {
  const isUnreadable = /^flags:\s*\d*1$/m.test(processFile("self/fdinfo/0"));
  // SIGHUP is the lowest bit.
  const isParentDeaf = /^SigIgn:\s*[\da-f]*[13579bdf]$/m.test(
    processFile(`${process.ppid}/status`),
  );
  return basename(env["_"] ?? "") === "nohup" || isUnreadable || isParentDeaf;
}

/** A file below /proc; empty on systems without it. */
function processFile(name: string): string {
  try {
    return readFileSync(`/proc/${name}`, "utf8");
  } catch {
    return "";
  }
}
