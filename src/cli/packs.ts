import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { pathToFileURL } from "node:url";

import { SuiteError } from "../lib/errors.ts";
import { isObject } from "../lib/json.ts";
import { packageRoot } from "../lib/package-root.ts";
import { definePack, type Pack, type PackDefinition } from "../probe/pack.ts";
import type { CommandIo } from "./io.ts";

const HINT =
  "Its default export must be what `definePack` returned; docs/packs.md has a whole pack.";

const NOT_INSTALLED = /^Cannot find package 'orgsync-conformance'/;
const INSTALL =
  "Install orgsync-conformance in the project of this file, so that it can import it.";

/**
 * The packs of `--pack`: a name of the suite's own stays as it is, and the file of another one is imported.
 * @param names names, or paths, which have a slash or an ending
 * @returns `undefined` without the option, so that the profile decides
 * @throws SuiteError when a file cannot be used, or the profile is somebody else's: a pack is code
 */
export async function namedPacks(
  names: readonly string[] | undefined,
  untrusted: boolean | undefined,
  { cwd }: Pick<CommandIo, "cwd">,
): Promise<readonly (string | Pack)[] | undefined> {
  if (names === undefined) return undefined;
  const packs: (string | Pack)[] = [];
  for (const name of names) {
    if (!isFile(name)) packs.push(name);
    else if (untrusted) {
      throw new SuiteError(
        "ERR_PACK",
        `--untrusted takes no file as a pack, and \`${name}\` is one`,
        {
          hint: "A pack is code that runs here. Name a pack of the suite, or leave out --untrusted.",
        },
      );
    } else packs.push(await packIn(name, resolve(cwd, name)));
  }
  return packs;
}

/**
 * The packs that names and packs stand for. What the suite has of them is loaded only here, because most commands need none.
 * @throws SuiteError when there is no such pack
 */
export async function loadPacks(named: readonly (string | Pack)[]): Promise<readonly Pack[]> {
  if (named.length === 0) return [];
  const { findPacks } = await import("../../suites/packs.ts");
  return findPacks(named);
}

function isFile(name: string): boolean {
  return /[/\\.]/.test(name);
}

async function packIn(name: string, path: string): Promise<Pack> {
  let found: unknown;
  try {
    found = (await importFile(path)).default;
  } catch (cause) {
    const {
      code,
      message,
      problems = [],
    } = cause as Error & {
      readonly code?: string;
      readonly problems?: readonly string[];
    };
    if (code === "ERR_UNKNOWN_FILE_EXTENSION") {
      throw new SuiteError("ERR_PACK", `Node ${process.version} cannot load \`${name}\``, {
        hint: "TypeScript needs Node 22.18 or newer. Name the compiled file, which ends in .js.",
        cause,
      });
    }
    throw new SuiteError("ERR_PACK", `\`${name}\` cannot be loaded as a pack: ${message}`, {
      problems,
      hint: NOT_INSTALLED.test(message) ? INSTALL : HINT,
      cause,
    });
  }
  if (!isDefinition(found)) {
    throw new SuiteError("ERR_PACK", `\`${name}\` exports no pack`, { hint: HINT });
  }
  // Its own copy of the library may have defined it; this process has to know its requirements.
  return definePack(found);
}

/** The bundled command cannot import by itself; see bin/import.cjs. */
function importFile(path: string): Promise<{ readonly default?: unknown }> {
  const load = createRequire(join(packageRoot, "package.json"))("./bin/import.cjs") as (
    url: string,
  ) => Promise<{ readonly default?: unknown }>;
  return load(pathToFileURL(path).href);
}

function isDefinition(value: unknown): value is PackDefinition {
  return (
    isObject(value) &&
    typeof value["id"] === "string" &&
    typeof value["version"] === "string" &&
    Array.isArray(value["requirements"]) &&
    Array.isArray(value["rules"])
  );
}
