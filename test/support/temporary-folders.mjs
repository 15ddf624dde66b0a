import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** What names the system's temporary folder: the first one on Unix, the others on Windows. */
const VARIABLES = ["TMPDIR", "TEMP", "TMP"];

/**
 * Gives all tests, and all processes that they start, one temporary folder.
 * @returns removes the folder with everything in it
 */
export default function setUp() {
  const folder = mkdtempSync(join(tmpdir(), "orgsync-tests-"));
  for (const name of VARIABLES) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
