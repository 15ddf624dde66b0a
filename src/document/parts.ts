import { realpathSync, statSync } from "node:fs";
import { dirname, extname, relative, resolve, sep } from "node:path";

import { SuiteError } from "../errors.ts";
import type { Target } from "../profile/target.ts";
import type { Part, ReadPart } from "./assemble.ts";
import { isUrl, nameOf, parseSource, readText } from "./source.ts";

const MOST_PARTS = 200;
const LONGEST_REFERENCE = 200;
const EXTENSIONS: ReadonlySet<string> = new Set([".json", ".yaml", ".yml"]);
const BUNDLE = "Or bundle the document into one file, for instance with `npx @redocly/cli bundle`.";
const HINT = `A document may refer to .json, .yaml and .yml files in its own folder and below, hidden ones, the keys and the profile excepted. ${BUNDLE}`;

/**
 * Reads the parts of a document. Those of a file are regular files with the extensions `.json`, `.yaml`
 * and `.yml` whose real path is in the document's folder or below, but neither hidden nor withheld by
 * the target; those of a URL are on its origin.
 * @param source the document's own id, as `documentId` makes it
 * @param cwd messages name files relative to this folder; default: the process's
 * @throws SuiteError from the reader it returns, when a part may not or cannot be read
 */
export function partReader(source: string, target: Target, cwd?: string): ReadPart {
  const known = new Map<string, Part>();
  return async (reference, from) => {
    const id = isUrl(source)
      ? locateUrl(reference, from, source)
      : locateFile(reference, from, source, target.withheld);
    const found = known.get(id);
    if (found) return found;
    if (known.size >= MOST_PARTS) {
      throw new SuiteError(
        "ERR_DOCUMENT",
        `${nameOf(source, cwd)} has more than ${MOST_PARTS} parts`,
        {
          hint: BUNDLE,
        },
      );
    }
    const part = { id, value: parseSource(await readText(id, target, cwd), nameOf(id, cwd)) };
    known.set(id, part);
    return part;
  };
}

/** What tells a document from its parts: its real path, where its folder is too, or its URL. */
export function documentId(source: string): string {
  return isUrl(source) ? source : realPath(source);
}

/** @throws SuiteError always: OpenAPI has no reference there */
export function refuseReference(reference: string, from: string): never {
  throw refused(reference, from, "stands where OpenAPI has no reference");
}

function locateUrl(reference: string, from: string, source: string): string {
  if (!URL.canParse(reference, from)) throw refused(reference, from, "is no URL");
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
    const why = isUrl(reference) ? "is on another host" : "is no relative path";
    throw refused(reference, from, why);
  }
  const folder = dirname(source);
  const file = resolve(dirname(from), decoded(reference));
  // Nothing outside of the folder is touched, not even to see whether it is there.
  checkPath(file);
  const real = realPath(file);
  checkPath(real);
  if (!EXTENSIONS.has(extname(real).toLowerCase())) {
    throw refused(reference, from, "is no .json, .yaml or .yml file");
  }
  if (withheld.some((one) => isWithin(realPath(one), real))) {
    throw refused(reference, from, "is the profile, or in the folder of its keys");
  }
  if (statSync(real, { throwIfNoEntry: false })?.isFile() === false) {
    throw refused(reference, from, "is no regular file");
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

/** A path with its symbolic links resolved; as it is where there is nothing. */
function realPath(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path;
  }
}

function isWithin(folder: string, path: string): boolean {
  const way = relative(folder, path);
  return way !== ".." && !way.startsWith(`..${sep}`) && resolve(folder, way) === path;
}

function decoded(reference: string): string {
  try {
    return decodeURIComponent(reference);
  } catch {
    return reference; // A percent sign that is no escape.
  }
}

/** What a reference has after a question mark may be secret. */
function refused(reference: string, from: string, why: string): SuiteError {
  const shown = JSON.stringify((reference.split("?", 1)[0] ?? "").slice(0, LONGEST_REFERENCE));
  return new SuiteError("ERR_DOCUMENT", `${nameOf(from)} refers to ${shown}, which ${why}`, {
    hint: HINT,
  });
}
