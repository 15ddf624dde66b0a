import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { dirname, join } from "node:path";

const manifestPath = createRequire(import.meta.url).resolve("orgsync-conformance/package.json");

/** The folder that holds this package's `package.json`, whether the code runs from `src` or from `dist`. */
export const packageRoot: string = dirname(manifestPath);

/** Version of the suite, as in `package.json`. */
export const suiteVersion: string = (
  JSON.parse(readFileSync(manifestPath, "utf8")) as { version: string }
).version;

/** Absolute path of a file in the package's `fixtures` folder. */
export function fixturePath(...segments: string[]): string {
  return join(packageRoot, "fixtures", ...segments);
}

/**
 * Absolute path of what the build has made of a fixture, where there is a build and the code runs from it.
 * @param module `import.meta.url` of whoever asks: sources take the fixtures as they are
 */
export function compiledFixture(name: string, module: string): string | undefined {
  const file = join(packageRoot, "dist/fixtures", name);
  return module.endsWith(".js") && existsSync(file) ? file : undefined;
}
