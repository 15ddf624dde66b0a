import { mkdirSync, statSync } from "node:fs";
import { dirname } from "node:path";

/**
 * Creates a folder, and those above it that are missing. Node's own `recursive` option never returns where the system
 * refuses to create a folder with ENOENT, as below /proc.
 * @returns the folders that it created, the outermost first
 * @throws the file system's error where no folder can be created
 */
export function makeFolder(folder: string): string[] {
  if (isFolder(folder)) return [];
  const above = dirname(folder) === folder ? [] : makeFolder(dirname(folder));
  try {
    mkdirSync(folder);
    return [...above, folder];
  } catch (error) {
    // Another process may have created it meanwhile.
    if (isFolder(folder)) return above;
    throw error;
  }
}

function isFolder(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() ?? false;
}
