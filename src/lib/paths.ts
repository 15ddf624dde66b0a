import { relative } from "node:path";

/**
 * How a message names a file.
 * @param cwd where its reader is: the name is relative to this folder; default: the process's
 */
export function displayPath(file: string, cwd: string = process.cwd()): string {
  return relative(cwd, file) || ".";
}
