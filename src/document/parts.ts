import { statSync } from "node:fs";
import { dirname, extname, relative, resolve, sep } from "node:path";

import { isWithin, realPath } from "../lib/paths.ts";
import { DocumentLimit } from "../profile/document.ts";
import type { Target } from "../profile/target.ts";
import type { PartText, ReadText } from "./load.ts";
import { isUrl, nameOf, referring, refused } from "./name.ts";
import { type ReadOptions, readText } from "./source.ts";

const MOST_PARTS = 200;
/** Characters of all parts together. */
const LONGEST_TOGETHER = 16 * 1024 * 1024;
const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);

/**
 * Makes a reader for the texts of a document and its parts, each of which it reads once. Parts of a file
 * must be regular files with the extension `.json`, `.yaml` or `.yml` whose real path is in the document's
 * folder or below, neither hidden nor withheld by the target. Parts of a URL must be on its origin.
 * @param source a file or an http or https URL
 * @throws SuiteError from the returned reader, when a text may not or cannot be read
 * @throws DocumentLimit from the returned reader, when the texts are too many or too large
 * @throws Interrupted from the returned reader, when the signal aborts
 */
export function partReader(source: string, target: Target, options: ReadOptions = {}): ReadText {
  const { cwd } = options;
  const known = new Map<string, Promise<PartText>>();
  let characters = 0;
  return async (reference, from = source) => {
    const own = isUrl(source) ? source : realPath(source);
    const id = reference === undefined ? own : locate(reference, from, own);
    const subject = reference === undefined ? undefined : referring(reference, from, cwd);
    const found = known.get(id) ?? readOnce(id, subject);
    known.set(id, found);
    return found;
  };

  function locate(reference: string, from: string, own: string): string {
    return isUrl(own)
      ? locateUrl(reference, from, own)
      : locateFile(reference, from, own, target.withheld);
  }

  async function readOnce(id: string, subject: string | undefined): Promise<PartText> {
    const place = known.size === 0 ? source : id;
    const text = await readText(place, target, { ...options, subject });
    characters += text.length;
    if (known.size > MOST_PARTS || characters > LONGEST_TOGETHER) {
      const much =
        known.size > MOST_PARTS
          ? `more than ${MOST_PARTS} parts`
          : `parts of more than ${LONGEST_TOGETHER / 1024 / 1024} MiB`;
      throw new DocumentLimit(`${nameOf(source, cwd)} has ${much}`);
    }
    return { id, name: nameOf(place, cwd), text };
  }
}

function locateUrl(reference: string, from: string, source: string): string {
  if (!URL.canParse(reference, from)) throw refused(reference, from, "is not a URL");
  const url = new URL(reference, from);
  url.hash = "";
  if (!isUrl(url.href) || url.origin !== new URL(source).origin) {
    throw refused(reference, from, "is on another host");
  }
  return url.href;
}

function locateFile(
  reference: string,
  from: string,
  source: string,
  withheld: readonly string[],
): string {
  if (/^[a-z][a-z\d+.-]+:/i.test(reference)) {
    const why = isUrl(reference) ? "is on another host" : "is not a relative path";
    throw refused(reference, from, why);
  }
  const folder = dirname(source);
  const file = resolve(dirname(from), decoded(reference));
  // Files outside the folder are not accessed, not even to see whether they exist.
  checkPath(file);
  const real = realPath(file);
  checkPath(real);
  if (!EXTENSIONS.has(extname(real).toLowerCase())) {
    throw refused(reference, from, "is not a .json, .yaml or .yml file");
  }
  if (withheld.some((one) => isWithin(realPath(one), real))) {
    throw refused(reference, from, "is the profile, or in the folder of its keys");
  }
  if (statSync(real, { throwIfNoEntry: false })?.isFile() === false) {
    throw refused(reference, from, "is not a regular file");
  }
  return real;

  function checkPath(path: string): void {
    if (!isWithin(folder, path)) throw refused(reference, from, "is outside of its folder");
    if (
      relative(folder, path)
        .split(sep)
        .some((name) => name.startsWith("."))
    ) {
      throw refused(reference, from, "is hidden");
    }
  }
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference; // A percent sign that is no escape.
  }
}
