import type { Report } from "./report.ts";

/** One format of the report. */
export interface Reporter {
  /** Name of the file in the folder of reports. */
  readonly file: string;
  render(report: Report): string;
}
