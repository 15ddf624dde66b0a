import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync } from "node:fs";
import { join, relative, sep } from "node:path";

import { packageRoot } from "../lib/package-root.ts";

/** The files of the package that decide the outcome of a run: code and data. */
const JUDGING = ["package.json", "bin", "dist/src", "dist/suites", "dist/fixtures", "fixtures"];
/** This folder is not part of the package. */
const LEFT_OUT = "dist/src/proof/";

/**
 * SHA-256, in hexadecimal, of the installed files that decide the outcome of a run. The input is one line
 * for each file, in the order of paths: the file's SHA-256, two blanks and its path, as `sha256sum` prints
 * it.
 */
export function digestOfFiles(): string {
  const lines = JUDGING.flatMap(filesOf)
    .map((file) => relative(packageRoot, file).split(sep).join("/"))
    .filter((name) => !name.startsWith(LEFT_OUT))
    .toSorted((a, b) => (a < b ? -1 : 1))
    .map((name) => `${sha256(readFileSync(join(packageRoot, name)))}  ${name}\n`);
  return sha256(lines.join(""));
}

function filesOf(name: string): string[] {
  const path = join(packageRoot, name);
  if (!existsSync(path)) return [];
  if (statSync(path).isFile()) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name));
}

function sha256(bytes: string | Buffer): string {
  return createHash("sha256").update(bytes).digest("hex");
}
