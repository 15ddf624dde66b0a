import { fileURLToPath } from "node:url";

const path = (id) => fileURLToPath(import.meta.resolve(id));

/** What the suite imports of undici. */
const USED = `
export { default as buildConnector } from ${JSON.stringify(path("undici/lib/core/connect.js"))};
export { default as Pool } from ${JSON.stringify(path("undici/lib/dispatcher/pool.js"))};
`;

/** Bodies that are no text, and HTTP/2, which undici only speaks where `allowH2` is set. */
const UNUSED = /[/\\]undici[/\\]lib[/\\](?:web[/\\]fetch[/\\]body|dispatcher[/\\]client-h2)\.js$/;

/**
 * A plugin that takes into a bundle what the suite uses of undici. The rest, such as `fetch`, is most of it, and loads as much of
 * Node.
 */
export const partOfUndici = {
  name: "part-of-undici",
  resolveId: (id, importer = "") =>
    id === "undici" && !/node_modules/.test(importer) ? "\0undici.mjs" : undefined,
  load(id) {
    if (id === "\0undici.mjs") return USED;
    return UNUSED.test(id) ? "module.exports = undefined;" : undefined;
  },
};
