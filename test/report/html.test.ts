import { createHash } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { pathToFileURL } from "node:url";

import axe from "axe-core";
import type { Browser, BrowserContextOptions, Locator, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { curlCommand } from "../../src/report/curl.ts";
import { REPORTERS, reportJson } from "../../src/report/index.ts";
import { createJsonReport } from "../../src/report/json.ts";
import type { Report, ReportCase } from "../../src/report/report.ts";
import { listen } from "../cli/servers.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { folderWith } from "../support/folder.ts";
import { runAgainst, runAgainstReference } from "../support/run-against.ts";
import { exchange, reportOf, result } from "./events.ts";

const HOSTILE =
  "<script>alert(1)</script><img src=x onerror=alert(2)>'\"&amp;</pre></title>\u001B[31m\u0007\u202Egnp";
const HOSTILE_SHOWN = `<script>alert(1)</script><img src=x onerror=alert(2)>'"&amp;</pre></title>\\u{1b}[31m\\u{7}\\u{202e}gnp`;

const control = exchange("x1", {
  request: {
    ...exchange("x1").request,
    token: {
      header: { alg: "RS256" },
      claims: { aud: "here", iat: 1, exp: 2, scope: "org:read" },
    },
  },
  response: { status: 200, headers: {}, body: '{"n":1.0e2,"n":[ ],"s":"a,{b"}', truncated: false },
});
const probe = exchange("x2", {
  request: {
    ...exchange("x2").request,
    token: {
      header: { alg: "RS256" },
      claims: { aud: "there", iat: 3, exp: 4, scope: "org:read", extra: true },
    },
  },
});

const failing = reportOf(
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
const bothSides: Report = {
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

async function rendered(report: Report): Promise<string> {
  const reporter = await REPORTERS.get("html")?.();
  if (reporter?.file !== "report.html") throw new Error("there is no HTML report");
  return reporter.render(report);
}

function shownCases(page: Page): Promise<string[]> {
  return page.locator("details.case:visible h4").allInnerTexts();
}

/** Opens the rule and its first case of an outcome. */
async function openCase(page: Page, outcome: string): Promise<Locator> {
  const one = page.locator(`details.case.${outcome}`).first();
  if ((await page.locator("details.rule[open]").count()) === 0) {
    await page.locator("details.rule > summary").first().click();
  }
  await one.locator("summary").first().click();
  await one.locator(".actions").waitFor();
  return one;
}

describe("the page", () => {
  it("allows only its own style and script", async () => {
    const [, policy = ""] =
      /http-equiv="Content-Security-Policy" content="([^"]*)"/i.exec(await rendered(failing)) ?? [];
    expect(policy.replaceAll(/sha256-[\w+/]+=*/g, "sha256")).toBe(
      "default-src 'none'; style-src 'sha256'; script-src 'sha256'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    );
  });

  it("cuts texts that are too long for a page", async () => {
    const long = "x".repeat(10_000_000);
    const report = reportOf(
      [result("long", { reason: phrase`${long}`, actual: phrase`${long}` })],
      {},
      [
        exchange("x1"),
        exchange("x2", {
          response: { status: 200, headers: { long }, body: long, truncated: true },
        }),
      ],
    );
    expect((await rendered(report)).length).toBeLessThan(200_000);
  });
});

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

    /** Opens the report from disk. Any request, console message or dialog is an error. */
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

    it("shows first the verdict and its scope, then the problems", async () => {
      const page = await open(failing);
      expect(await page.locator("main h2").allInnerTexts()).toEqual([
        "✕ Not conformant",
        "Faults of the suite itself",
        "Set-up",
        "What failed",
        "Rules and operations",
        "Cases",
        "Observed, never judged",
      ]);
      const facts = await page.locator(".verdict").innerText();
      expect(facts).toMatch(
        /receiver\.expiry 1 case[^]*http:\/\/127\.0\.0\.1:8080\/base[^]*2025-01-01 00:00:00 UTC[^]*42/,
      );
      expect(await page.locator(".counts tr").nth(1).innerText()).toMatch(/fail\s+1\s+0\s+0/);
      expect(facts).toContain(createHash("sha256").update(reportJson(failing)).digest("hex"));
      expect(await page.locator(".observations tbody").isVisible()).toBe(false);
      expect(
        (await page.locator(".observations tbody").textContent())?.replaceAll(/\s+/g, " "),
      ).toMatch(/Status for exp\s+401 \(3 times\)/);
    });

    it("shows the comparison with a baseline, and marks known failures", async () => {
      const known = { case: "receiver.expiry/wrong@viewOrganization", reason: "next week" };
      const page = await open({
        ...failing,
        baseline: {
          file: "known.yaml",
          known: [known],
          unknown: [],
          stale: [{ case: "gone", why: "it passes" }],
        },
      });
      expect(await page.locator(".notice.baseline").innerText()).toMatch(
        /Baseline known\.yaml: 1 known failure, no other, 1 entry that must go\.[^]*gone it passes/,
      );
      expect(await page.locator(".failure").count()).toBe(0);
      const one = await openCase(page, "fail");
      expect(await one.locator("summary").first().innerText()).toContain("known");
      expect(await one.innerText()).toContain("next week");
    });

    it("shows a failure with requirement, difference, tokens and both exchanges", async () => {
      const page = await open(failing);
      const failure = page.locator(".failure");
      const one = failure.locator(".case.fail");
      await one.getByText("Commands").click();
      const text = await failure.innerText();
      expect(text).toContain("Authentication / Receiver checks / 4");
      expect(text).toContain("the request is rejected with a 4xx");
      expect(text).toContain("200 OK");
      expect(text).toContain("Behaves like a receiver that never looks at exp.");
      expect(text.split("exp has not passed")).toHaveLength(2);
      expect(text).toContain("The same answer to both, 200: that is the fault.");
      expect(await failure.getByRole("link", { name: "§4.1.4" }).getAttribute("href")).toBe(
        "https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4",
      );
      expect(await one.locator(".tokens .differs th").allInnerTexts()).toEqual([
        "claim aud differs",
        "claim extra differs",
      ]);
      expect(await one.locator("article h5").allInnerTexts()).toEqual(["Control x1", "Probe x2"]);
      expect(await one.locator("article pre").first().innerText()).toBe(
        "GET http://127.0.0.1:8080/base/orgs\naccept: application/json\nauthorization: Bearer [redacted]",
      );
      expect(text).toContain('{\n  "n": 1.0e2,\n  "n": [ ],\n  "s": "a,{b"\n}');
      expect(text).toContain(
        "npx --no-install orgsync-conformance replay report.json receiver.expiry/wrong@viewOrganization",
      );
    });

    it("copies a request as curl, and the command that replays it", async () => {
      const page = await open(failing);
      const one = await openCase(page, "fail");
      await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
      await one.getByRole("button", { name: "Copy curl" }).click();
      await one.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        curlCommand(probe).join("\n"),
      );
      await one.getByRole("button", { name: "Copy replay" }).click();
      await one.getByRole("button", { name: "Copied" }).last().waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
        "replay report.json 'receiver.expiry/wrong@viewOrganization'",
      );
    });

    it("renders a case when it is opened, with control and probe in the order in which they were sent", async () => {
      const page = await open(failing);
      expect(await page.locator("details.case").count()).toBe(0);
      const one = await openCase(page, "pass");
      expect(await one.locator("article h5").allInnerTexts()).toEqual(["Control x1", "Probe x2"]);
      expect(await one.locator("article pre").first().innerText()).toContain("/base/orgs");
      await one.getByRole("link", { name: "Link to this case" }).click();
      expect(new URL(page.url()).hash).toBe("#receiver.expiry%2Fgood%40viewOrganization");
    });

    it("filters by outcome, level, operation and text, and keeps the filter in the URL", async () => {
      const page = await open(failing);
      const status = page.getByRole("status");
      expect(await status.innerText()).toBe("5 cases");
      await page.getByRole("checkbox", { name: "fail" }).check();
      await page.getByRole("checkbox", { name: "warn" }).check();
      expect(await status.innerText()).toBe("2 of 5 cases");
      expect(await shownCases(page)).toEqual(["wrong@viewOrganization", "late@readChange"]);
      await page.getByRole("checkbox", { name: "SHOULD" }).check();
      expect(await shownCases(page)).toEqual(["late@readChange"]);
      expect(new URL(page.url()).hash).toBe("#outcome=fail&outcome=warn&level=SHOULD");

      await page.reload();
      expect(await shownCases(page)).toEqual(["late@readChange"]);
      expect(await page.getByRole("checkbox", { name: "warn" }).isChecked()).toBe(true);

      await page.getByRole("button", { name: "Show all" }).click();
      expect(await status.innerText()).toBe("5 cases");
      expect(page.url()).not.toContain("#");
      await page.locator("select[name=operation]").selectOption("no operation");
      expect(await shownCases(page)).toEqual(["whole"]);
      await page.locator("select[name=operation]").selectOption("any");
      await page.getByLabel("Text").fill("REFUSED 429");
      expect(await shownCases(page)).toEqual(["slow@editOrganization"]);
      await page.getByLabel("Text").fill("nothing says this");
      expect(await status.innerText()).toBe("0 of 5 cases");
    });

    it("shows the matrix as a table with links to cases, also by keyboard", async () => {
      const page = await open(failing);
      const cell = page.getByRole("link", {
        name: "receiver.expiry, viewOrganization: 1 fail, 1 pass",
      });
      expect((await cell.innerText()).replaceAll(/\s/g, "")).toBe("✕1");
      expect(await page.locator(".matrix thead th[scope=col]").count()).toBe(8);
      expect(await page.locator(".matrix tbody th[scope=row]").innerText()).toBe("expiry");

      await page.keyboard.press("Tab");
      expect(await page.locator(":focus").innerText()).toBe("Verdict");
      expect(await page.locator(":focus").isVisible()).toBe(true);
      for (let tabs = 0; tabs < 30; tabs += 1) {
        if (await page.evaluate("document.activeElement.matches('a.cell.fail:focus-visible')"))
          break;
        await page.keyboard.press("Tab");
      }
      expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe(
        "solid",
      );
      await page.keyboard.press("Enter");
      await page.locator("#cases:focus").waitFor();
      expect(await shownCases(page)).toEqual(["wrong@viewOrganization", "good@viewOrganization"]);
      expect(await page.getByRole("status").innerText()).toBe("2 of 5 cases");
      expect(await cell.getAttribute("aria-current")).toBe("true");
      expect(await page.locator("select[name=operation]").inputValue()).toBe("viewOrganization");

      await page.goBack();
      expect(await page.getByRole("status").innerText()).toBe("5 cases");
    });

    it("shows the authorization server's rules by clients, in their own matrix", async () => {
      const page = await open(bothSides);
      const tables = page.locator(".matrix table");
      expect(await tables.count()).toBe(2);
      expect(await tables.first().locator("tbody th[scope=row]").allInnerTexts()).toEqual([
        "expiry",
      ]);
      const heads = await tables.last().locator("thead th[scope=col]").allInnerTexts();
      expect(heads.map((text) => text.replaceAll(/\s+/g, " ").trim())).toEqual([
        "Rule",
        "client admin",
        "client web",
        "no client",
      ]);
      await page
        .getByRole("link", { name: "authorization-server.pkce, client admin: 1 fail, 1 pass" })
        .click();
      await page.locator("#cases:focus").waitFor();
      expect(await shownCases(page)).toEqual(["wrong@admin", "missing@admin"]);
      expect(await page.locator("select[name=operation]").inputValue()).toBe("client:admin");
    });

    it("opens the case in the URL, whatever the filter", async () => {
      const page = await open(failing, "#outcome=fail");
      expect(await shownCases(page)).toHaveLength(1);
      await page.evaluate("location.hash = '#receiver.expiry/good@viewOrganization'");
      const one = page.locator("details.case.pass");
      await one.locator("article").first().waitFor();
      expect(await page.locator("details.case.pass[open] > summary:focus").count()).toBe(1);
      expect(await shownCases(page)).toHaveLength(5);
    });

    it("shows verdict, failures and matrix without script", async () => {
      const page = await open(failing, "", { javaScriptEnabled: false });
      expect(await page.getByRole("search").count()).toBe(0);
      expect(await page.locator(".failure .exchanges article").count()).toBe(2);
      expect(await page.locator(".failure").innerText()).toContain("claim aud");
      await page.getByRole("link", { name: /receiver\.expiry, viewOrganization/ }).click();
      expect(page.url()).toMatch(/#receiver\.expiry$/);
    });

    it("prints only a certificate, the matrix and the failures", async () => {
      const page = await open(failing);
      await page.emulateMedia({ media: "print" });
      expect(await page.locator("main > section:visible > h2").allInnerTexts()).toEqual([
        "✕ Not conformant",
        "Faults of the suite itself",
        "Set-up",
        "What failed",
        "Rules and operations",
      ]);
    });

    const STATES: Readonly<Record<string, Report>> = {
      failing,
      bothSides,
      passing: reportOf([result("good@viewOrganization", { outcome: "pass" })], {
        verdict: "conformant",
        verdictText: "Conformant: all of it.",
      }),
      partial: reportOf([result("good@viewOrganization", { outcome: "pass" })], {
        verdict: "partial",
        verdictText: "Partial: some of it.",
        partialBecause: ["only receiver.expiry was selected"],
      }),
      stopped: reportOf([], {
        verdict: "incomplete",
        setup: [{ problem: "Nobody is let in.", remedy: "Trust the issuer." }],
      }),
    };

    it.each(
      Object.keys(STATES).flatMap((state) =>
        (["light", "dark", "print"] as const).map((look) => [state, look] as const),
      ),
    )("is accessible, %s, %s", async (state, look) => {
      const page = await open(STATES[state] ?? failing, "", {
        colorScheme: look === "dark" ? "dark" : "light",
      });
      if (look === "print") await page.emulateMedia({ media: "print" });
      // Rules first: the cases that they hold are drawn then.
      const opened = look === "print" ? [] : ["rule", "case", "same-members"];
      for (const what of opened) {
        const closed = page.locator(`details.${what}:not([open])`);
        while ((await closed.count()) > 0) {
          await closed.first().evaluate((details) => details.setAttribute("open", ""));
        }
      }
      await page.evaluate(axe.source);
      const { violations } = (await page.evaluate("axe.run()")) as axe.AxeResults;
      expect(
        violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join("\n")}`),
      ).toEqual([]);
      const [red] = /\d+/.exec(
        String(await page.evaluate("getComputedStyle(document.body).backgroundColor")),
      ) ?? ["0"];
      expect(Number(red) > 127).toBe(look !== "dark");
    });

    it("fits a narrow screen", async () => {
      const page = await open(failing, "", { viewport: { width: 390, height: 800 } });
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
    });

    it("shows as text whatever a target sends", async () => {
      const hostile = exchange("x2", {
        request: { ...probe.request, url: `http://127.0.0.1/${HOSTILE}` },
        response: {
          status: 200,
          headers: { [HOSTILE]: HOSTILE },
          body: JSON.stringify({ [HOSTILE]: HOSTILE }) + HOSTILE,
          truncated: false,
        },
      });
      const report = reportOf(
        [
          result("bad@viewOrganization", {
            title: HOSTILE,
            expected: phrase`${HOSTILE}`,
            actual: phrase`${HOSTILE}`,
            evidence: {
              probes: ["x2"],
              controls: ["x1"],
              differences: [{ part: "path", control: HOSTILE, probe: HOSTILE }],
            },
          }),
          result("unsure", { outcome: "inconclusive", reason: phrase`${HOSTILE}` }),
        ],
        {
          observations: [{ id: "o", title: HOSTILE, value: phrase`${HOSTILE}` }],
          setup: [{ problem: HOSTILE, remedy: HOSTILE }],
          suiteErrors: [HOSTILE],
          verdictText: HOSTILE,
        },
        [control, hostile],
      );
      const source = await rendered(report);
      expect(source).not.toMatch(/[^\P{C}\n]/u);
      const page = await open(report);
      const one = await openCase(page, "fail");
      await page
        .locator("section > details > summary", { hasText: "contract leaves open" })
        .click();
      expect(await page.locator("script").count()).toBe(2);
      expect(await page.locator("img").count()).toBe(0);
      for (const place of [
        ".lead",
        ".set-up",
        ".suite-errors",
        ".failure",
        "details.fail",
        ".observations",
      ]) {
        expect(await page.locator(place).first().innerText()).toContain(HOSTILE_SHOWN);
      }
      expect(await one.locator("article").last().innerText()).toContain(
        `\n${HOSTILE_SHOWN}: ${HOSTILE_SHOWN}\n`,
      );
    });

    it("says what prevented a run from reaching its first case", async () => {
      const setup = [{ problem: "Nobody is let in.", remedy: "Trust the issuer." }];
      const page = await open(reportOf([], { setup, verdict: "incomplete" }));
      expect(await page.locator("main h2").allInnerTexts()).toEqual(["? Incomplete", "Set-up"]);
      expect(await page.getByRole("navigation").innerText()).toBe("Verdict");
    });

    it("isolates right-to-left text", async () => {
      const page = await open(reportOf([result("bad", { actual: phrase`\u05D0\u05D1\u05D2` })]));
      expect(await page.locator(".failure bdi").first().innerText()).toBe("\u05D0\u05D1\u05D2");
    });

    it("shows a run against a hostile deployment", async () => {
      let requests = 0;
      const { baseUrl } = await listen((_request, response) => {
        const long = "m".repeat(requests === 0 ? 10_000_000 : 10);
        requests += 1;
        response.setHeader("x-hostile", "<script>alert(3)</script>\u00AD");
        response.setHeader("content-type", "application/json");
        response.end(JSON.stringify({ message: HOSTILE + long }));
      });
      const { events } = await runAgainst(
        { baseUrl, organizations: { primary: "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813" } },
        { patterns: ["receiver.token-required/missing@*", "receiver.audience/other@*"] },
      );
      const json = createJsonReport();
      for (const event of events) json.on(event);
      const page = await open(json.report());
      expect(await page.locator("h2", { hasText: "Not conformant" }).count()).toBe(1);
      expect(await page.locator(".failure .exchanges article").first().innerText()).toMatch(
        /x-hostile: <script>alert\(3\)<\/script>.?\\u\{ad\}/,
      );
      expect(await page.locator("script").count()).toBe(2);
    });

    it("shows a whole run", async () => {
      const { events } = await runAgainstReference(
        { faults: ["audience-by-prefix"] },
        { patterns: ["receiver.audience", "errors.*", "document.*"] },
      );
      const json = createJsonReport();
      for (const event of events) json.on(event);
      const report = json.report();
      const page = await open(report, "#outcome=fail");
      const failed = report.rules.flatMap(({ cases }) =>
        cases.filter(({ outcome }) => outcome === "fail"),
      );
      expect(failed.length).toBeGreaterThan(0);
      expect(await shownCases(page)).toHaveLength(failed.length);
      expect(await page.locator(".tokens .differs").first().innerText()).toMatch(
        /^claim aud differs/,
      );
    });
  },
);
