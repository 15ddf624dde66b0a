import type { Page } from "playwright-core";
import { expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import { reportOf, result } from "./events.ts";
import { bothSides, failing, inBrowser, violations } from "./pages.ts";

inBrowser((open) => {
  const STATES: Readonly<Record<string, Report>> = {
    // With everything that `failing` has.
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

  it.each(Object.entries(STATES))(
    "is accessible on paper, and with everything open in light and dark: %s",
    async (_state, report) => {
      const page = await open(report);
      await page.emulateMedia({ media: "print" });
      expect(await violations(page)).toEqual([]);
      expect(await isLight(page)).toBe(true);

      await page.emulateMedia({ media: "screen" });
      // Rules first: the cases that they hold are drawn then.
      for (const what of ["run", "rule", "case", "exchanges"]) {
        const closed = page.locator(`details.${what}:not([open])`);
        while ((await closed.count()) > 0) {
          await closed.first().evaluate((details) => details.setAttribute("open", ""));
        }
      }
      for (const look of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme: look });
        expect(await violations(page)).toEqual([]);
        expect(await isLight(page)).toBe(look === "light");
      }
    },
  );

  it("fits a narrow screen", async () => {
    const page = await open(failing, "", { viewport: { width: 390, height: 800 } });
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(390);
  });
});

async function isLight(page: Page): Promise<boolean> {
  const color = await page.evaluate("getComputedStyle(document.body).backgroundColor");
  const [red = "0"] = /\d+/.exec(String(color)) ?? [];
  return Number(red) > 127;
}
