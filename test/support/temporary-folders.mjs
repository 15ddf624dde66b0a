import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";

const PREFIX = "orgsync-tests-";
/** What names the system's temporary folder: the first one on Unix, the others on Windows. */
const VARIABLES = ["TMPDIR", "TEMP", "TMP"];

/**
 * Gives all tests, and all processes that they start, one temporary folder. Vitest calls it for each of its projects; the
 * first call counts.
 * @returns removes the folder with everything in it
 */
export default function setUp() {
  if (basename(tmpdir()).startsWith(PREFIX)) return undefined;
  const folder = mkdtempSync(join(tmpdir(), PREFIX));
  for (const name of VARIABLES) process.env[name] = folder;
  return () => rmSync(folder, { recursive: true, force: true });
}
