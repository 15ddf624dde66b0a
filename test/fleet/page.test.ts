import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it } from "vitest";

import { OUTCOMES } from "../../src/engine/events.ts";
import type { Deployment } from "../../src/fleet/deployment.ts";
import { type MergedFleet, fleetPage } from "../../src/fleet/page.ts";
import { HOSTILE } from "../report/hostile.ts";
import { violations } from "../report/pages.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";

/** A fleet of so many deployments, with everything that a page may show. */
function fleetOf(count: number, text = "acme"): MergedFleet {
  const deployments = Array.from({ length: count }, (_, at): Deployment => {
    const name = `${text}-${at}`;
    if (at % 9 === 1) return { run: { name } };
    if (at % 9 === 2) return { run: { name, error: `${text} cannot be reached` } };
    const outcomes = new Map(
      Array.from({ length: 63 }, (__, rule) => [
        `area${rule % 6}.rule-number-${rule}`,
        OUTCOMES[(rule * at) % OUTCOMES.length] ?? "pass",
      ]),
    );
    const seen = {
      verdict: "non-conformant" as const,
      baseUrl: `https://${text}`,
      title: text,
      name: text,
      startedAt: "2025-01-01T00:00:00Z",
      failed: at,
      suite: text,
      outcomes,
      endings: [{ verdict: "non-conformant" as const, interrupted: false, suiteErrors: [] }],
    };
    const report = `runs/deployment ${at}/report.json`;
    return { run: { name, verdict: "non-conformant", report }, seen };
  });
  const names = deployments.map(({ run }) => run.name);
  return {
    deployments,
    open: Array.from({ length: 60 }, () => ({
      title: `Status for \`${text}\``,
      answers: [
        { value: text, names },
        { value: null, names: names.slice(0, 2) },
      ],
    })),
    earlier: deployments,
    changes: {
      changed: [
        { name: text, before: "error", after: undefined, rules: [] },
        {
          name: `${text} 2`,
          before: "partial",
          after: "conformant",
          rules: [{ rule: "receiver.issuer", before: "fail", after: "pass" }],
        },
      ],
      same: 3,
      suites: { before: [text], after: [text] },
    },
  };
}

describe("fleet.html", () => {
  it("allows only its own style, and has no script", () => {
    const source = fleetPage(fleetOf(3));
    const [, policy = ""] = /Content-Security-Policy" content="([^"]*)"/.exec(source) ?? [];
    expect(policy.replace(/sha256-[\w+/]+=*/, "sha256")).toBe(
      "default-src 'none'; style-src 'sha256'; base-uri 'none'; form-action 'none'; require-trusted-types-for 'script'",
    );
    expect(source).not.toContain("<script");
  });

  it("stays below the size limit of a page with two hundred deployments", () => {
    expect(Buffer.byteLength(fleetPage(fleetOf(200)))).toBeLessThan(700_000);
  });

  it("can be shown if no run has a report", () => {
    const source = fleetPage({ deployments: [{ run: { name: "a" } }], open: [] });
    expect(source).toContain("Conformance of 1 deployment");
    expect(fleetPage({ deployments: [], open: [] })).toContain("Conformance of 0 deployments");
  });
});

describe.skipIf(chromiumPath === undefined)("fleet.html in a browser", () => {
  let browser: Browser;
  let page: Page;
  beforeAll(async () => {
    browser = await launchChromium();
    page = await browser.newPage({ bypassCSP: true });
  });
  afterAll(() => browser.close());

  it("is accessible in light, dark and narrow and on paper, and fits both", async () => {
    await page.setContent(fleetPage(fleetOf(12)));
    for (const [media, colorScheme, width] of [
      ["screen", "light", 1280],
      ["screen", "dark", 1280],
      ["screen", "light", 400],
      ["print", "light", 720],
    ] as const) {
      await page.emulateMedia({ media, colorScheme });
      await page.setViewportSize({ width, height: 800 });
      expect(await violations(page), `${media} ${colorScheme} ${width}`).toEqual([]);
      expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(
        width,
      );
    }
  });

  it("shows as text whatever a report contains", async () => {
    for (const text of HOSTILE) {
      const source = fleetPage(fleetOf(5, text));
      expect(source).not.toMatch(/[^\P{C}\n]/u);
      await page.setContent(source);
      const elements = await page.evaluate(
        "[...new Set([...document.body.querySelectorAll('*')].map(({ localName }) => localName))]",
      );
      expect(elements).not.toContain("script");
      expect(elements).not.toContain("img");
      const addresses = await page
        .locator("a")
        .evaluateAll((links) => links.map((link) => link.getAttribute("href") ?? ""));
      expect(addresses.filter((one) => !/^(#|runs\/)/.test(one))).toEqual([]);
    }
  });
});
