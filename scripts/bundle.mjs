// Bundles what the command needs into `dist/command`: to find, read and link some hundred modules takes longer than to run them.
// The library, `dist/src`, stays as it is compiled: whoever uses it has modules of their own.
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

import { rolldown } from "rolldown";

import { openapiValidators } from "./bundle/openapi-validators.mjs";

const root = fileURLToPath(new URL("..", import.meta.url));
const folder = join(root, "dist/command");

/** Of undici what sends requests; `fetch`, mocks and caches are half of the time that loading it takes. */
const UNDICI = `
import Dispatcher from "undici/lib/dispatcher/dispatcher.js";
import api from "undici/lib/api/index.js";
export { default as Agent } from "undici/lib/dispatcher/agent.js";
export { default as EnvHttpProxyAgent } from "undici/lib/dispatcher/env-http-proxy-agent.js";
Object.assign(Dispatcher.prototype, api);
`;

const lean = {
  name: "lean-undici",
  resolveId: (id) => (id === "undici" ? join(root, "node_modules/undici/lean.js") : undefined),
  load: (id) => (id.endsWith("/undici/lean.js") ? UNDICI : undefined),
};

/** What every run loads, by and by. */
const OF_A_RUN =
  /[/\\](?:commands[/\\]run[/\\]run|document[/\\](?:parts|close-gaps|supervise))\.ts$/;

/** Bundles of their own, so that neither is split for the sake of the other: the document's worker needs little. */
const main = await bundled("src/cli/main.ts");
const worker = await bundled("src/document/worker.ts");
rmSync(folder, { recursive: true, force: true });
const split = (await main.generate({ format: "esm" })).output;
const ofAll = chunksWith(split, ({ isEntry }) => isEntry);
const ofRuns = chunksWith(split, ({ facadeModuleId }) => OF_A_RUN.test(facadeModuleId));
const together = {
  groups: [
    { name: "start", test: isIn(ofAll), priority: 2 },
    { name: "run", test: isIn(ofRuns), priority: 1 },
  ],
};
const output = [
  ...(await written(main, "[name].js", together)),
  ...(await written(worker, "worker-[name].js")),
];

/** The licences of what is in the bundle ask to be passed on with it. */
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

function bundled(entry) {
  return rolldown({
    cwd: root,
    input: entry,
    platform: "node",
    // Only `init` asks questions, and only the embedded receiver serves.
    external: ["@clack/prompts", "fastify", "oidc-provider"],
    plugins: [lean, openapiValidators],
    checks: { ineffectiveDynamicImport: false, pluginTimings: false },
  });
}

async function written(bundle, chunkFileNames, codeSplitting) {
  const options = { dir: folder, format: "esm", chunkFileNames, codeSplitting, comments: false };
  const { output: files } = await bundle.write(options);
  await bundle.close();
  return files;
}

/** Whether a module is in one of the chunks. */
function isIn(chunks) {
  const modules = new Set([...chunks].flatMap(({ moduleIds }) => moduleIds));
  return (id) => modules.has(id);
}

/** Some chunks, and all that these import. */
function chunksWith(chunks, isWanted) {
  const found = new Set(chunks.filter((chunk) => chunk.type === "chunk" && isWanted(chunk)));
  // A set that grows while it is gone through is gone through to its new end.
  for (const { imports } of found) {
    for (const chunk of chunks) if (imports.includes(chunk.fileName)) found.add(chunk);
  }
  return found;
}
