import { join, relative } from "node:path";

import { expect } from "vitest";

import { SuiteError } from "../../src/lib/errors.ts";
import { loadProfile } from "../../src/profile/load.ts";
import { folderWith } from "../support/folder.ts";

/** The least that a profile may say. */
export const BASE = "baseUrl: http://localhost:8080";

export const UUID = "0b6f3a52-5d0e-4a63-9f7e-1c2d3e4f5a61";

/** Loads the text of a profile from a file. */
export function load(text: string): ReturnType<typeof loadProfile> {
  return loadProfile(join(folderWith({ "p.yaml": text }), "p.yaml"));
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

/** The problems of a profile, a line each: line, column and text. */
export async function problemsOf(text: string): Promise<string[]> {
  const folder = folderWith({ "p.yaml": text });
  const [head = "", ...lines] = (
    await complaintOf(() => loadProfile(join(folder, "p.yaml")), folder)
  ).split("\n");
  expect(head).toBe(`p.yaml has ${lines.length === 1 ? "1 problem" : `${lines.length} problems`}:`);
  return lines.map((line) => line.replace(/^ {2}p\.yaml:/, ""));
}
