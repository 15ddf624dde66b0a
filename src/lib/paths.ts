import { realpathSync, type Stats, statSync } from "node:fs";
import { relative, resolve, sep } from "node:path";

/** A file's path as messages show it, relative to a folder or the working directory. */
export function displayPath(file: string, cwd: string = process.cwd()): string {
  return relative(cwd, file) || ".";
}

/** A path with its symbolic links resolved, or the path itself where nothing exists there. */
export function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

/** Whether an absolute path is a folder or inside it, by the text; see `realPath` for links. */
export function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

/** The file status of a path, or `undefined` where nothing exists or it may not be read. */
export function statsOf(path: string): Stats | undefined {
  try {
    return statSync(path);
  } catch {
    return undefined;
  }
}
