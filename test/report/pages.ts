import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe } from "vitest";

import type { Exchange } from "../../src/http/exchange.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { REPORTERS } from "../../src/report/index.ts";
import type { Report, ReportCase } from "../../src/report/report.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { folderWith } from "../support/folder.ts";
import { exchange, reportOf, result } from "./events.ts";

/** The exchanges of `failing`. */
export const control: Exchange = exchange("x1", {
  request: {
    ...exchange("x1").request,
    token: {
      header: { alg: "RS256" },
      claims: { aud: "here", iat: 1, exp: 2, scope: "org:read" },
    },
  },
  response: { status: 200, headers: {}, body: '{"n":1.0e2,"n":[ ],"s":"a,{b"}', truncated: false },
});

export const probe: Exchange = exchange("x2", {
  request: {
    ...exchange("x2").request,
    token: {
      header: { alg: "RS256" },
      claims: { aud: "there", iat: 3, exp: 4, scope: "org:read", extra: true },
    },
  },
});

/** A report with a case of each outcome, a set-up problem, a fault of the suite and a diagnosis. */
export const failing: Report = reportOf(
  [
    result("wrong@viewOrganization", {
      title: "`aud` is another",
      source: "contract, Receiver checks 4; RFC 7519 §4.1.4",
      evidence: {
        probes: ["x2"],
        controls: ["x1"],
        differences: [
          { part: "claim", name: "aud", control: "here", probe: "there" },
          { part: "claim", name: "extra", probe: true },
        ],
      },
    }),
    result("slow@editOrganization", {
      operation: "editOrganization",
      outcome: "inconclusive",
      reason: phrase`the control was refused: 429`,
      evidence: { probes: [], controls: ["x1"] },
    }),
    result("late@readChange", {
      operation: "readChange",
      level: "SHOULD",
      outcome: "warn",
      actual: phrase`204`,
    }),
    result("good@viewOrganization", { outcome: "pass", expected: undefined, actual: undefined }),
    result("whole", { operation: undefined, level: "OBSERVE", outcome: "observed" }),
  ],
  {
    observations: [{ id: "o", title: "Status for `exp`", value: phrase`401 (3 times)` }],
    setup: [{ problem: "The clock is off.", remedy: "Set it." }],
    suiteErrors: ["a rule threw"],
    diagnoses: [
      {
        fault: "f",
        rule: "receiver.expiry",
        behaves: "never looks at `exp`",
        look: "Look for it.",
      },
    ],
  },
  [control, probe],
);

/** A report with both sides: what the receiver's matrix has under operations, the other has under clients. */
export const bothSides: Report = {
  ...failing,
  rules: [
    ...failing.rules,
    {
      id: "authorization-server.pkce",
      title: "A code gives a token to nobody but who has its verifier",
      level: "MUST",
      clause: "Authentication / Flows",
      requirements: ["flows.authorization-code"],
      outcome: "fail",
      cases: [
        serverCase("wrong@admin", { client: "admin", outcome: "fail" }),
        serverCase("missing@admin", { client: "admin", operation: "viewOrganization" }),
        serverCase("wrong@web", { client: "web" }),
        serverCase("as-a-whole", {}),
      ],
    },
  ],
};

function serverCase(id: string, more: Partial<ReportCase>): ReportCase {
  return {
    id: `authorization-server.pkce/${id}`,
    title: "a verifier",
    requirement: "flows.authorization-code",
    level: "MUST",
    outcome: "pass",
    ...more,
  };
}

/** The page of a report. */
export async function rendered(report: Report): Promise<string> {
  const reporter = await REPORTERS.get("html")?.();
  if (reporter?.file !== "report.html") throw new Error("there is no HTML report");
  return reporter.render(report);
}

/** What axe finds on a page as it looks now. */
export async function violations(page: Page): Promise<string[]> {
  if (await page.evaluate("!('axe' in globalThis)")) await page.evaluate(axe.source);
  const found = (await page.evaluate("axe.run()")) as axe.AxeResults;
  return found.violations.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`,
  );
}

/** The cases that the page shows, by id within their rule. */
export function shownCases(page: Page): Promise<string[]> {
  return page.locator("details.case:visible h4").allInnerTexts();
}

/** Opens the rule and its first case of an outcome. */
export async function openCase(page: Page, outcome: string): Promise<Locator> {
  const one = page.locator(`details.case.${outcome}`).first();
  if ((await page.locator("details.rule[open]").count()) === 0) {
    await page.locator("details.rule > summary").first().click();
  }
  await one.locator("summary").first().click();
  await one.locator(".actions").waitFor();
  return one;
}

/** Opens a report from disk. Any request, console message or dialog fails the test. */
export type OpenReport = (
  report: Report,
  hash?: string,
  options?: BrowserContextOptions,
) => Promise<Page>;

/** Defines tests in a browser, with a function that opens a report. */
export function inBrowser(tests: (open: OpenReport) => void): void {
  describe.skipIf(chromiumPath === undefined)(
    "in a browser (skipped where there is no Chromium; CHROMIUM names its path)",
    () => {
      let browser: Browser;
      let folder: string;
      let trouble: string[] = [];

      beforeAll(async () => {
        browser = await launchChromium();
        folder = folderWith();
      });
      afterAll(() => browser.close());
      afterEach(async () => {
        for (const context of browser.contexts()) await context.close();
        if (trouble.length > 0) throw new Error(trouble.join("\n"));
      });

      async function open(
        report: Report,
        hash = "",
        options: BrowserContextOptions = {},
      ): Promise<Page> {
        trouble = [];
        const file = join(folder, "report.html");
        await writeFile(file, await rendered(report));
        const address = pathToFileURL(file).href;
        const page = await openPage(browser, options);
        page.on("request", (request) => {
          if (request.url().split("#")[0] !== address) trouble.push(`request ${request.url()}`);
        });
        page.on("console", (message) => trouble.push(`console ${message.text()}`));
        page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
        page.on("dialog", (dialog) => {
          trouble.push(`dialog ${dialog.message()}`);
          void dialog.dismiss();
        });
        await page.goto(`${address}${hash}`);
        return page;
      }

      tests(open);
    },
  );
}
