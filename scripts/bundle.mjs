// Bundles the modules of the command into `dist/command`, because finding, reading and linking some hundred
// modules takes longer than running them. The library, `dist/src`, is not bundled, because its users have
// modules of their own.
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";

import { droppedCalls } from "./bundle/dropped-calls.mjs";
import { openapiValidators } from "./bundle/openapi-validators.mjs";
import { partOfUndici } from "./bundle/part-of-undici.mjs";
import { readOnce } from "./bundle/read-once.mjs";
import { requiredLater } from "./bundle/required-later.mjs";
import { workbenchPage } from "./bundle/workbench-page.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist/command");

/**
 * Names are kept, because oidc-provider finds its settings by the names of its classes, and what an unexpected error prints
 * should name the functions.
 */
const keepNames = { function: true, class: true };
const FORM = {
  format: "cjs",
  // What is loaded with compiled code can require, but not import.
  dynamicImportInCjs: false,
  comments: false,
  minify: { compress: { keepNames }, mangle: { keepNames } },
};

/** What every run loads to find its target, and beside that the rules. */
const OF_A_RUN = /[/\\]src[/\\](?:cli[/\\]commands[/\\]run[/\\]run|document[/\\]open)\.ts$/;
const OF_RULES = /[/\\]src[/\\]certify\.ts$/;

/**
 * Bundles of their own, so that shared code is not split off: the start is loaded before all else, and the document's worker needs
 * only a little of it.
 */
const start = await bundled("src/cli/start.ts");
const main = await bundled("src/cli/main.ts");
const worker = await bundled("src/document/worker.ts");
rmSync(folder, { recursive: true, force: true });
const split = (await main.generate({ format: "esm" })).output;
const ofAll = chunksWith(split, ({ isEntry }) => isEntry);
const ofRuns = chunksWith(split, has(OF_A_RUN));
const ofRules = chunksWith(split, has(OF_RULES));
const together = {
  groups: [
    { name: "command", test: isIn(ofAll), priority: 3 },
    { name: "run", test: isIn(ofRuns), priority: 2 },
    { name: "rules", test: isIn(ofRules), priority: 1 },
  ],
};
const output = [
  ...(await written(start)),
  ...(await written(main, "[name].cjs", together)),
  ...(await written(worker, "worker-[name].cjs")),
];

/** Modules of the library that alone use a large package, which goes into them, so that nobody has to install it. */
const LEAVES = ["src/document/validity", "src/report/junit", "suites/pagination/pages/property"];
for (const name of LEAVES) {
  const file = join(root, `dist/${name}.js`);
  const leaf = await bundled(file, (id, importer) => importer === file && id.startsWith("."));
  const { output: files } = await leaf.generate({ ...FORM, format: "esm", codeSplitting: false });
  await leaf.close();
  writeFileSync(file, files[0].code);
  output.push(...files);
}

writeFileSync(join(root, "dist/fixtures/workbench.js"), await workbenchPage());

/** The licences of the bundled packages require their texts to be distributed. */
const packages = new Set(
  output
    .flatMap(({ moduleIds = [] }) => moduleIds)
    .flatMap((id) => /^.*node_modules\/(?:@[^/]+\/)?[^/]+/.exec(id)?.[0] ?? []),
);
const licences = [...packages].toSorted().map((path) => {
  const { name, version, license } = JSON.parse(readFileSync(join(path, "package.json"), "utf8"));
  const file = readdirSync(path).find((one) => /^licen[cs]e/i.test(one));
  const text = file === undefined ? `License: ${license}` : readFileSync(join(path, file), "utf8");
  return `${name} ${version}\n\n${text.trim()}\n`;
});
writeFileSync(join(folder, "LICENSES.txt"), licences.join(`\n${"-".repeat(80)}\n\n`));

function bundled(entry, external) {
  return rolldown({
    cwd: root,
    input: entry,
    platform: "node",
    external,
    plugins: [droppedCalls, openapiValidators, partOfUndici, readOnce, requiredLater],
    checks: { ineffectiveDynamicImport: false, pluginTimings: false, eval: false },
  });
}

async function written(bundle, chunkFileNames, codeSplitting) {
  const { output: files } = await bundle.generate({
    ...FORM,
    entryFileNames: "[name].cjs",
    chunkFileNames,
    codeSplitting,
  });
  await bundle.close();
  mkdirSync(folder, { recursive: true });
  for (const { fileName, code } of files) writeFileSync(join(folder, fileName), inAscii(code));
  return files;
}

/**
 * Escapes all characters that are not ASCII. With one of them, V8 keeps the whole file with two bytes for each character, and
 * takes longer to read it. In a raw template the escape would show; no module has one with such characters.
 */
function inAscii(code) {
  return code.replaceAll(
    /[^\0-\x7f]/g,
    (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, "0")}`,
  );
}

/** Whether a module is in one of the chunks. */
function isIn(chunks) {
  const modules = new Set([...chunks].flatMap(({ moduleIds }) => moduleIds));
  return (id) => modules.has(id);
}

/** Whether a chunk has a module. */
function has(module) {
  return ({ moduleIds }) => moduleIds.some((id) => module.test(id));
}

/** Some chunks, and all chunks that they import. */
function chunksWith(chunks, isWanted) {
  const found = new Set(chunks.filter((chunk) => chunk.type === "chunk" && isWanted(chunk)));
  // The loop also visits the elements that are added to the set during it.
  for (const { imports } of found) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) found.add(chunk);
  }
  return found;
}
