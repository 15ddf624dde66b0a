import type { Reporter } from "./report.ts";

export { reportJson, reportPieces } from "./json.ts";

/** To add a format, write a file here that exports a `Reporter`, and add a line. */
const LOADERS = {
  junit: async (): Promise<Reporter> => (await import("./junit.ts")).junit,
  markdown: async (): Promise<Reporter> => (await import("./markdown.ts")).markdown,
  html: async (): Promise<Reporter> => (await import("./html.ts")).html,
  har: async (): Promise<Reporter> => (await import("./har.ts")).har,
  sarif: async (): Promise<Reporter> => (await import("./sarif.ts")).sarif,
  badge: async (): Promise<Reporter> => (await import("./badge.ts")).badge,
};

/** A format of `--report`. `json` is not among them, because `report.json` is always written. */
export type ReporterName = keyof typeof LOADERS;

/** The formats of `--report` by name, each loaded when it is needed. */
export const REPORTERS: ReadonlyMap<string, () => Promise<Reporter>> = new Map(
  Object.entries(LOADERS),
);
