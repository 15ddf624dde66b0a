import type { Reporter } from "./reporter.ts";

export { reportJson, reportPieces } from "./json.ts";

/**
 * The formats of `--report` by name, each loaded when it is needed. To add one, write a file here that
 * exports a `Reporter`, and add a line to this map and a name to `ReportFormat` in `src/render.ts`.
 * `report.json` is not among them, because it is always written.
 */
export const REPORTERS: ReadonlyMap<string, () => Promise<Reporter>> = new Map([
  ["junit", async () => (await import("./junit.ts")).junit],
  ["markdown", async () => (await import("./markdown.ts")).markdown],
  ["html", async () => (await import("./html.ts")).html],
  ["har", async () => (await import("./har.ts")).har],
  ["sarif", async () => (await import("./sarif.ts")).sarif],
  ["badge", async () => (await import("./badge.ts")).badge],
]);
