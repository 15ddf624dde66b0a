import { readFileSync } from "node:fs";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import { compiledFixture, packageRoot } from "../lib/package-root.ts";
import { html as reportHtml } from "../report/html.ts";
import { documentOf } from "../report/html/frame.ts";
import { html } from "../report/html/markup.ts";
import type { Report } from "../report/report.ts";

/** A page with its content security policy. */
export interface Page {
  readonly body: string;
  /** Names the digests of its style and script. The server adds `frame-ancestors 'none'`. */
  readonly policy: string | undefined;
}

/** The page of a report, as `run --report html` writes it. */
export function reportPage(report: Report): Page {
  const body = reportHtml.render(report);
  const [, policy] =
    /<meta http-equiv="Content-Security-Policy" content="([^"]+)">/.exec(body) ?? [];
  return { body, policy };
}

/** The page of the workbench. Its script, `page/`, reads `api/state` (`api.ts`) and everything else by itself. */
export async function workbenchPage({ target }: Pick<Report, "target">): Promise<Page> {
  const { source: body, policy } = documentOf({
    title: `Workbench: ${target.baseUrl}`,
    styles: ["page.css", "workbench.css"],
    code: await script(),
    connects: true,
    body: html`<noscript
      ><main>
        <h1>Workbench</h1>
        <p>This page needs a script. <a href="report">The report</a> can be read without.</p>
      </main></noscript
    >`,
  });
  return { body, policy };
}

/** The bundled script. Where the suite runs from source, it is bundled now. */
async function script(): Promise<string> {
  const built = compiledFixture("workbench.js", import.meta.url);
  if (built !== undefined) return readFileSync(built, "utf8");
  const bundler = pathToFileURL(join(packageRoot, "scripts/bundle/workbench-page.mjs"));
  const { workbenchPage: bundled } = (await import(bundler.href)) as {
    workbenchPage: () => Promise<string>;
  };
  return bundled();
}
