import { randomUUID } from "node:crypto";
import { chmod, rename, rm, stat, writeFile } from "node:fs/promises";

/**
 * Writes a file whole or not at all. One that is there already keeps its permissions.
 * @param text all of it, or its pieces in turn
 * @throws what the file system throws; the file is as it was then
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
