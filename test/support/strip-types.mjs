import { existsSync } from "node:fs";
import { readFile, rename, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** Where worker threads keep their bundle; absent: nowhere. */
let folder;

export function initialize(temporaryFolder) {
  folder = temporaryFolder;
}

/** Loads TypeScript as JavaScript. Vitest adds a query to the URL of a test. */
export async function load(url, context, nextLoad) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") return nextLoad(url, context);
  if (pathname.endsWith(".json")) return nextLoad(url, asJson(context));
  if (!pathname.endsWith(".ts")) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const bundled = folder !== undefined && pathname.endsWith("/src/document/worker.ts");
  const source = bundled ? await bundleOf(file) : await javaScriptOf(file);
  return { format: "module", source, shortCircuit: true };
}

/** Some packages import JSON without saying so, which Node refuses. */
function asJson(context) {
  return { ...context, importAttributes: { type: "json" } };
}

/** The module with a source map, which vitest reads. */
async function javaScriptOf(file) {
  const { transform } = await import("rolldown/utils");
  const options = { sourcemap: true, target: "esnext", tsconfig: false };
  const { code, map } = await transform(file, await readFile(file, "utf8"), options);
  const inline = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`;
}

/**
 * The module with all that it imports, as in the built command. A worker thread has to find, translate and link some
 * hundred modules otherwise, and many tests start one. It is made once for all tests of a run.
 */
async function bundleOf(file) {
  const made = join(folder, "document-worker.js");
  if (!existsSync(made)) {
    const [{ rolldown }, { openapiValidators }] = await Promise.all([
      import("rolldown"),
      import("../../scripts/bundle/openapi-validators.mjs"),
    ]);
    const bundle = await rolldown({
      input: file,
      platform: "node",
      plugins: [openapiValidators],
      checks: { ineffectiveDynamicImport: false, pluginTimings: false },
    });
    const { output } = await bundle.generate({ format: "esm", codeSplitting: false });
    await bundle.close();
    // Others may be making it too.
    const begun = `${made}-${process.pid}-${performance.timeOrigin}`;
    await writeFile(begun, output[0].code);
    await rename(begun, made);
  }
  return readFile(made, "utf8");
}
