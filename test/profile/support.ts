import { relative } from "node:path";

import { SuiteError } from "../../src/lib/errors.ts";

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
