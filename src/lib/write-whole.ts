import { randomUUID } from "node:crypto";
import { chmod, rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Writes a file completely or not at all. An existing file keeps its permissions.
 * @param text the whole text, or its parts in order
 * @throws the file system's error; the file is then unchanged
 */
export async function writeWhole(file: string, text: string | Iterable<string>): Promise<void> {
  const unfinished = `${file}.${randomUUID()}.tmp`;
  try {
    const former = await stat(file).catch(() => undefined);
    await writeFile(unfinished, text, { flag: "wx" });
    if (former) await chmod(unfinished, former.mode);
    await rename(unfinished, file);
  } catch (error) {
    await rm(unfinished, { force: true });
    throw error;
  }
}
