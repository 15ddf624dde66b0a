import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const manifestPath = createRequire(import.meta.url).resolve("orgsync-conformance/package.json");

/** The folder of this package's `package.json`, from `src` as from `dist`. */
export const packageRoot: string = dirname(manifestPath);

/** The suite's version, from `package.json`. */
export const suiteVersion: string = (
  JSON.parse(readFileSync(manifestPath, "utf8")) as { version: string }
).version;

/** The absolute path of a file in the package's `fixtures` folder. */
export function fixturePath(...segments: string[]): string {
  return join(packageRoot, "fixtures", ...segments);
}

/**
 * The absolute path of the compiled form of a fixture.
 * @param module `import.meta.url` of the caller
 * @returns `undefined` where there is no build, or the caller runs from source
 */
export function compiledFixture(name: string, module: string): string | undefined {
  const file = join(packageRoot, "dist/fixtures", name);
  return !module.endsWith(".ts") && existsSync(file) ? file : undefined;
}
