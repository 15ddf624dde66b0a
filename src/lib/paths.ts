import { realpathSync, type Stats, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";

/**
 * How a message names a file.
 * @param cwd where its reader is: the name is relative to this folder; default: the process's
 */
export function displayPath(file: string, cwd: string = process.cwd()): string {
  return relative(cwd, file) || ".";
}

/** A path with its symbolic links resolved; as it is where there is nothing. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Whether an absolute path is a folder or below it, by the text of both; see `realPath` for links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

/** What the file system says of a path; nothing where there is nothing, or nothing that may be looked at. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
