import { SuiteError } from "./lib/errors.ts";
import { REPORTERS, reportJson } from "./report/index.ts";
import type { Report } from "./report/report.ts";

/** The formats of a report. */
export type ReportFormat = "json" | "junit" | "markdown" | "html" | "har" | "sarif" | "badge";

const renderers = new Map<string, (report: Report) => string>([["json", reportJson]]);
for (const [format, load] of REPORTERS) {
  const reporter = await load();
  renderers.set(format, (report) => reporter.render(report));
}

/**
 * A report as text: JSON, JUnit XML, GitHub-flavoured Markdown, one HTML page that fetches
 * nothing, HAR 1.2, SARIF 2.1.0, or a badge as SVG.
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
