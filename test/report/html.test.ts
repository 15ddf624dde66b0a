import { createHash } from "node:crypto";

import { describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { reportJson } from "../../src/report/index.ts";
import { exchange, reportOf, result, withBaseline } from "./events.ts";
import { failing, inBrowser, openCase, rendered, shownCases } from "./pages.ts";
import { realRun } from "./real-run.ts";

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

inBrowser((open) => {
  it("shows first the verdict and its scope, then the problems", async () => {
    const page = await open(failing);
    expect(await page.locator("main h2").allInnerTexts()).toEqual([
      "✕ Not conformant: never looks at exp",
      "Faults of the suite itself",
      "Set-up",
      "What failed",
      "Not judged",
      "Rules and operations",
      "Cases",
      "Observed, never judged",
    ]);
    const verdict = page.locator(".verdict");
    expect(await verdict.locator(".causes").innerText()).toBe("receiver.expiry Never looks at exp");
    expect(await verdict.locator(".checks").innerText()).toMatch(/expiry\s+1 fail/);
    expect(await verdict.innerText()).not.toContain("2025");
    await verdict.locator(".run > summary").click();
    const facts = await verdict.innerText();
    expect(facts).toMatch(/http:\/\/127\.0\.0\.1:8080\/base[^]*2025-01-01 00:00:00 UTC[^]*42/);
    expect(facts).toContain(createHash("sha256").update(reportJson(failing)).digest("hex"));
    expect(await page.locator(".observations tbody").isVisible()).toBe(false);
    expect(
      (await page.locator(".observations tbody").textContent())?.replaceAll(/\s+/g, " "),
    ).toMatch(/Status for exp\s+401 \(3 times\)/);
  });

  it("shows figures that add up, and the reason of each case that was not judged", async () => {
    const page = await open(failing);
    const rows = await page.locator(".counts tr").allInnerTexts();
    const figures = rows.slice(1).map((row) => row.trim().split(/\s+/).slice(-4).map(Number));
    const sums = figures.slice(0, -1).reduce((sum, row) => sum.map((n, at) => n + (row[at] ?? 0)));
    expect(figures.at(-1)).toEqual(sums);
    expect(sums).toEqual([3, 1, 1, 5]);
    expect(await page.locator(".blockers > li").allTextContents()).toEqual([
      expect.stringMatching(
        /the control was refused: 429\s+1 MUST case waits for it\.[^]*1 case by rule\s+receiver\.expiry/,
      ),
    ]);
  });

  it("opens one failure at a time, each a line with cause, clause and number", async () => {
    const [rule] = failing.rules;
    if (!rule) throw new Error("no rule failed");
    const page = await open({
      ...failing,
      rules: [rule, { ...rule, id: "receiver.binding" }],
    });
    const lines = page.locator("section[aria-labelledby=failures] .failure");
    const texts = await lines.locator("> summary").allInnerTexts();
    expect(texts.map((text) => text.replaceAll(/\s+/g, " "))).toEqual([
      expect.stringContaining(
        `receiver.binding Does not hold: "An expired token is rejected" Auth`,
      ),
      expect.stringMatching(/expiry Never looks at exp Authentication .*1 case$/),
    ]);
    for (const [at, opened] of [
      [0, [true, false]],
      [1, [false, true]],
    ] as const) {
      await lines.nth(at).locator("> summary").press("Enter");
      expect(await lines.evaluateAll((all) => all.map((one) => one.hasAttribute("open")))).toEqual(
        opened,
      );
    }
  });

  it("shows the comparison with a baseline, and marks known failures", async () => {
    const known = { case: "receiver.expiry/wrong@viewOrganization", reason: "next week" };
    const stale = { case: "gone", why: "it passes" };
    const page = await open(withBaseline(failing, { known: [known], stale: [stale] }));
    expect(await page.locator(".notice.baseline").innerText()).toMatch(
      /Baseline known\.yaml: 1 known failure, no other, 1 entry that must go\.[^]*gone it passes/,
    );
    expect(await page.locator(".failure.fail").count()).toBe(0);
    const one = await openCase(page, "fail");
    expect(await one.locator("summary").first().innerText()).toContain("known");
    expect(await one.innerText()).toContain("next week");
  });

  it("shows a failure with requirement, difference, tokens and both exchanges", async () => {
    const page = await open(failing);
    const failure = page.locator(".failure.fail");
    const one = failure.locator(".case.fail");
    expect(await one.locator("article").first().isVisible()).toBe(false);
    await one.getByText("2 exchanges, with what differs marked").click();
    await one.getByText("Commands").click();
    const text = await failure.innerText();
    expect(text).toContain("Authentication / Receiver checks / 4");
    expect(text).toContain("the request is rejected with a 4xx");
    expect(text).toContain("200 OK");
    expect(text).toContain("Behaves like a receiver that never looks at exp.");
    expect(text).toContain("Probable cause: ");
    expect(text.split("exp has not passed")).toHaveLength(2);
    expect(text).toContain("Control and probe got the same answer, 200: that is the fault.");
    expect(await failure.getByRole("link", { name: "§4.1.4" }).getAttribute("href")).toBe(
      "https://www.rfc-editor.org/rfc/rfc7519#section-4.1.4",
    );
    expect(
      (await one.locator(".comparison tbody tr").allInnerTexts()).map((row) => row.split(/\t\n?/)),
    ).toEqual([
      ["claim aud", '"here"', '"there"'],
      ["claim extra", "absent", "true"],
      ["Answer", "200 OK", "200 OK"],
    ]);
    expect(await one.locator(".exchanges mark").allInnerTexts()).toEqual([
      'claim aud: "here"',
      'claim aud: "there"',
      "claim extra: true",
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

  it("says what prevented a run from reaching its first case", async () => {
    const setup = [{ problem: "Nobody is let in.", remedy: "Trust the issuer." }];
    const page = await open(reportOf([], { setup, verdict: "incomplete" }));
    expect(await page.locator("main h2").allInnerTexts()).toEqual(["? Incomplete", "Set-up"]);
    expect(await page.getByRole("navigation").innerText()).toBe("Verdict");
  });

  it("prints only a certificate, the matrix and the failures", async () => {
    const page = await open(failing);
    await page.emulateMedia({ media: "print" });
    expect(await page.locator("main > section:visible > h2").allInnerTexts()).toEqual([
      "✕ Not conformant: never looks at exp",
      "Faults of the suite itself",
      "Set-up",
      "What failed",
      "Rules and operations",
    ]);
    expect(await page.locator(".failure.fail blockquote").first().isVisible()).toBe(true);
  });

  it("shows verdict, failures and matrix without script", async () => {
    const page = await open(failing, "", { javaScriptEnabled: false });
    expect(await page.getByRole("search").count()).toBe(0);
    expect(await page.locator(".failure.fail .exchanges article").count()).toBe(2);
    expect(await page.locator(".failure.fail").innerText()).toContain("claim aud");
    await page.getByRole("link", { name: /receiver\.expiry, viewOrganization/ }).click();
    expect(page.url()).toMatch(/#receiver\.expiry$/);
  });

  it("shows a whole run", async () => {
    const report = await realRun();
    const page = await open(report, "#outcome=fail");
    const failed = report.rules.flatMap(({ cases }) =>
      cases.filter(({ outcome }) => outcome === "fail"),
    );
    expect(failed.length).toBeGreaterThan(0);
    expect(await shownCases(page)).toHaveLength(failed.length);
    expect(await page.locator(".comparison tbody th").first().innerText()).toBe("claim exp");
  });
});
