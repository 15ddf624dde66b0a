import { readFile } from "node:fs/promises";
import { fileURLToPath } from "node:url";

import { transform } from "rolldown/utils";

/** Loads TypeScript as JavaScript. */
export async function load(url, context, nextLoad) {
  if (!url.startsWith("file:") || !url.endsWith(".ts")) return nextLoad(url, context);
  const file = fileURLToPath(url);
  const { code } = await transform(file, await readFile(file, "utf8"));
  return { format: "module", source: code, shortCircuit: true };
}
