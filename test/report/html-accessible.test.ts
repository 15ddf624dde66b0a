import axe from "axe-core";
import { expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import { reportOf, result } from "./events.ts";
import { bothSides, failing, inBrowser } from "./pages.ts";

inBrowser((open) => {
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
});
