import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";

/** Bundles the script of the workbench's page, which is TypeScript for a browser. Returns its code. */
export async function workbenchPage() {
  const bundle = await rolldown({
    cwd: fileURLToPath(new URL("../..", import.meta.url)),
    input: "src/workbench/page/main.ts",
    platform: "browser",
    external: /^node:/,
    // It uses functions of modules that also read files, which do so when they are called.
    treeshake: { moduleSideEffects: false },
    checks: { pluginTimings: false },
  });
  const { output } = await bundle.generate({ format: "esm", codeSplitting: false, minify: true });
  await bundle.close();
  const [{ code, imports }] = output;
  if (imports.length > 0) throw new Error(`a browser has no ${imports.join(", ")}`);
  return code;
}
