import { appendFile, readFile } from "node:fs/promises";
import { join } from "node:path";

import { SuiteError } from "../lib/errors.ts";
import { displayPath } from "../lib/paths.ts";
import { PRIVATE_FILE } from "./jwks-file.ts";

/**
 * Makes git ignore the private keys of a folder: adds their file to the folder's `.gitignore`, unless
 * it is listed there.
 * @param folder an existing folder
 * @throws {SuiteError} when the file cannot be read or written
 */
export async function ignorePrivateKeys(folder: string): Promise<void> {
  const file = join(folder, ".gitignore");
  try {
    const text = await readFile(file, "utf8").catch((error: NodeJS.ErrnoException) => {
      if (error.code === "ENOENT") return "";
      throw error;
    });
    const lines = text.split(/\r?\n/).map((line) => line.trim());
    if (lines.includes(PRIVATE_FILE) || lines.includes(`/${PRIVATE_FILE}`)) return;
    const newLine = text === "" || text.endsWith("\n") ? "" : "\n";
    await appendFile(file, `${newLine}${PRIVATE_FILE}\n`);
  } catch (cause) {
    throw new SuiteError("ERR_KEYS", `${displayPath(file)} cannot be written`, {
      hint: `It keeps ${PRIVATE_FILE} out of version control.`,
      cause,
    });
  }
}
