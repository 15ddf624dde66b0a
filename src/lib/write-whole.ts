import { randomUUID } from "node:crypto";
import { chmod, rename, rm, stat, writeFile } from "node:fs/promises";

import { type ErrorCode, SuiteError } from "./errors.ts";
import { systemReason } from "./system-error.ts";

/** Permissions of files that their owner alone may read: reports hold the answers of a deployment. */
export const PRIVATE_MODE = 0o600;

/**
 * Writes a file completely or not at all.
 * @param text the whole text, or its parts in order
 * @param mode its permissions; default: those of the existing file, or those that the system gives new ones
 * @throws the file system's error; the file is then unchanged
 */
export async function writeWhole(
  file: string,
  text: string | Iterable<string>,
  mode?: number,
): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.tmp`;
  try {
    const wanted = mode ?? (await stat(file).catch(() => undefined))?.mode;
    await writeFile(unfinished, text, {
      flag: "wx",
      ...(mode !== undefined && { mode: PRIVATE_MODE }),
    });
    // Whatever the umask takes away.
    if (wanted !== undefined) await chmod(unfinished, wanted);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}

/**
 * Writes a file that the user named, whole or not at all.
 * @param shown its name in the message of an error
 * @throws SuiteError when it cannot be written
 */
export async function writeNamed(
  file: string,
  shown: string,
  text: string,
  code: ErrorCode,
): Promise<void> {
  try {
    await writeWhole(file, text);
  } catch (cause) {
    throw new SuiteError(code, `${shown} cannot be written: ${systemReason(cause)}`, {
      cause,
    });
  }
}
