import { existsSync } from "node:fs";
import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { transform } from "rolldown/utils";

const DOCUMENT_WORKER = "/src/document/worker.ts";

/** The file of the bundle of the document's worker thread, which need not be there. */
let bundle;

export function initialize(file) {
  bundle = file;
}

/** Loads TypeScript as JavaScript. Vitest adds a query to the URL of a test. */
export async function load(url, context, nextLoad) {
  const { protocol, pathname } = new URL(url);
  if (protocol !== "file:") return nextLoad(url, context);
  if (pathname.endsWith(".json")) return nextLoad(url, asJson(context));
  if (!pathname.endsWith(".ts")) return nextLoad(url, context);
  const isBundled =
    pathname.endsWith(DOCUMENT_WORKER) && bundle !== undefined && existsSync(bundle);
  const source = isBundled
    ? await readFile(bundle, "utf8")
    : await javaScriptOf(fileURLToPath(url));
  return { format: "module", source, shortCircuit: true };
}

/** Some packages import JSON without saying so, which Node refuses. */
function asJson(context) {
  return { ...context, importAttributes: { type: "json" } };
}

/** The module with a source map, which vitest reads. */
async function javaScriptOf(file) {
  const options = { sourcemap: true, target: "esnext", tsconfig: false };
  const { code, map } = await transform(file, await readFile(file, "utf8"), options);
  const inline = Buffer.from(JSON.stringify(map)).toString("base64");
  return `${code}\n//# sourceMappingURL=data:application/json;base64,${inline}`;
}
