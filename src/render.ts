import { SuiteError } from "./lib/errors.ts";
import { type ReporterName, REPORTERS, reportJson } from "./report/index.ts";
import type { Report } from "./report/report.ts";

/** The formats of a report: JSON, and those of `run --report`. */
export type ReportFormat = "json" | ReporterName;

const renderers = new Map<string, (report: Report) => string>([["json", reportJson]]);
for (const [format, load] of REPORTERS) {
  const reporter = await load();
  renderers.set(format, (report) => reporter.render(report));
}

/**
 * A report as text, in any format.
 * @returns what `run --report <format>` writes to its file
 * @throws SuiteError when there is no such format
 */
export function render(report: Report, format: ReportFormat): string {
  const renderer = renderers.get(format);
  if (renderer) return renderer(report);
  throw new SuiteError("ERR_REPORT", `There is no report format ${format}`, {
    hint: `The formats are ${[...renderers.keys()].join(", ")}.`,
  });
}
