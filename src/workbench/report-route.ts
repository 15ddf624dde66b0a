import { html } from "../report/html.ts";
import type { Report } from "../report/report.ts";
import type { Route } from "./server.ts";

/** The page of a report. Its own policy, with the digests of its style and script, is sent as a header too. */
export function reportRoute(report: Report): Route {
  const body = html.render(report);
  const [, policy] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(body) ?? [];
  return { contentType: "text/html; charset=utf-8", body, policy };
}
