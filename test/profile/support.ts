import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";

import { onTestFinished } from "vitest";

import { SuiteError } from "../../src/lib/errors.ts";

/** A folder with the given files, gone after the test. */
export function folderWith(files: Readonly<Record<string, string>> = {}): string {
  const folder = mkdtempSync(join(tmpdir(), "orgsync-"));
  onTestFinished(() => rmSync(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
  return folder;
}

/** The text that a user reads, without the folder's name. Any error other than a SuiteError fails the test. */
export async function complaintOf(act: () => unknown, folder = ""): Promise<string> {
  try {
    await act();
  } catch (error) {
    if (!(error instanceof SuiteError)) throw error;
    const names = folder === "" ? [] : [relative(process.cwd(), folder), folder];
    return names.reduce((text, name) => text.replaceAll(`${name}/`, ""), error.message);
  }
  throw new Error("nothing was complained about");
}
