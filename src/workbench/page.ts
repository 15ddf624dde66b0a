import { html } from "../report/html.ts";
import type { Report } from "../report/report.ts";

/** A page with its content security policy. */
export interface Page {
  readonly body: string;
  /** Names the digests of its style and script. The server adds `frame-ancestors 'none'`. */
  readonly policy: string | undefined;
}

/**
 * The page of the workbench. It reads `api/state` (`api.ts`) and everything else by itself.
 * @param report shown where no script runs
 */
export function workbenchPage(report: Report): Page {
  const body = html.render(report);
  const [, policy] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(body) ?? [];
  return { body, policy };
}
