import { tmpdir } from "node:os";
import { join } from "node:path";

import { rolldown } from "rolldown";

import { openapiValidators } from "../../scripts/bundle/openapi-validators.mjs";

/**
 * Bundles the worker thread that reads documents, as in the built command. Otherwise each test that starts one would
 * find, translate and link some hundred modules. While somebody edits, there is no bundle, because it would be old.
 */
export default async function setUp({ vitest, config }) {
  if (vitest.config.watch) return;
  const file = join(tmpdir(), "document-worker.js");
  const bundle = await rolldown({
    cwd: config.root,
    input: "src/document/worker.ts",
    platform: "node",
    plugins: [openapiValidators],
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  });
  await bundle.write({ file, format: "esm", codeSplitting: false });
  await bundle.close();
}
