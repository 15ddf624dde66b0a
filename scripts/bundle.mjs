// Bundles what the command needs into `dist/command`: to find, read and link some hundred modules takes longer than to run them.
// The library, `dist/src`, stays as it is compiled: whoever uses it has modules of their own.
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
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

const bundle = await rolldown({
  cwd: root,
  input: { main: "src/cli/main.ts", worker: "src/document/worker.ts" },
  platform: "node",
  // Only `init` asks questions, and only the embedded receiver serves.
  external: ["@clack/prompts", "fastify", "oidc-provider"],
  plugins: [lean, openapiValidators],
});
rmSync(folder, { recursive: true, force: true });
const { output } = await bundle.write({
  dir: folder,
  format: "esm",
  chunkFileNames: "[name].js",
  comments: false,
});
await bundle.close();

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
if (!existsSync(join(folder, "worker.js"))) throw new Error("the document's worker is missing");
