import { expect, it } from "vitest";

import { curlCommand } from "../../src/report/curl.ts";
import type { Report } from "../../src/report/report.ts";
import { reportOf, result } from "./events.ts";
import { bothSides, failing, inBrowser, openCase, probe, shownCases } from "./pages.ts";

/** A report without failures, longer than a window. */
const passing: Report = reportOf(
  Array.from({ length: 40 }, (_, at) => result(`case-${at}@viewOrganization`, { outcome: "pass" })),
  { verdict: "conformant" },
);

inBrowser((open) => {
  it("copies a request as curl, and the command that replays it", async () => {
    const page = await open(failing);
    const one = await openCase(page, "fail");
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await one.getByRole("button", { name: "Copy curl" }).click();
    await one.getByRole("button", { name: "Copied" }).waitFor();
    const copied = String(await page.evaluate("navigator.clipboard.readText()"));
    expect(copied).toContain(curlCommand(probe).join("\n"));
    expect(copied).toMatch(/^TOKEN=\$\(npx .* token [^]*--quiet\) &&\ncurl /);
    await one.getByRole("button", { name: "Copy replay" }).click();
    await one.getByRole("button", { name: "Copied" }).last().waitFor();
    expect(await page.evaluate("navigator.clipboard.readText()")).toContain(
      "replay report.json 'receiver.expiry/wrong@viewOrganization'",
    );
  });

  it("renders a case when it is opened, with control and probe in the order in which they were sent", async () => {
    const page = await open(failing, "#all");
    expect(await page.locator("details.case").count()).toBe(0);
    const one = await openCase(page, "pass");
    await one.locator(".exchanges > summary").click();
    expect(await one.locator("article h5").allInnerTexts()).toEqual(["Control x1", "Probe x2"]);
    expect(await one.locator("article pre").first().innerText()).toContain("/base/orgs");
    await one.getByRole("link", { name: "Link to this case" }).click();
    expect(new URL(page.url()).hash).toBe("#receiver.expiry%2Fgood%40viewOrganization");
  });

  it("shows all requirements of a rule when it is opened", async () => {
    const requirements = ["checks.expiry", "checks.issuer", "checks.scope"];
    const rules = failing.rules.map((rule) => ({ ...rule, requirements }));
    const page = await open({ ...failing, rules }, "#all");
    const rule = page.locator("details.rule").first();
    await rule.locator("> summary").click();
    const others = rule.locator("details.others");
    await others.locator("> summary").click();
    expect(await others.locator("> summary").innerText()).toBe("2 more requirements");
    expect(await others.locator("blockquote").last().isVisible()).toBe(true);
    expect(await rule.locator("> .content > blockquote").count()).toBe(1);
  });

  it("filters by outcome, level, operation and text, and keeps the filter in the URL", async () => {
    const page = await open(failing);
    const status = page.getByRole("status");
    expect(await status.innerText()).toBe("1 of 5 cases");
    expect(await page.getByRole("checkbox", { name: "fail" }).isChecked()).toBe(true);
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
    expect(new URL(page.url()).hash).toBe("#all");
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
      if (await page.evaluate("document.activeElement.matches('a.cell.fail:focus-visible')")) break;
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
    expect(await page.getByRole("status").innerText()).toBe("1 of 5 cases");
  });

  it("begins with all cases where none failed", async () => {
    const page = await open(passing);
    expect(await page.getByRole("status").innerText()).toBe("40 cases");
    expect(await shownCases(page)).toEqual([]);
  });

  it("can be used with the keys alone: j and k move, Enter opens, / searches", async () => {
    const page = await open(failing);
    const focused = (): Promise<string> => page.locator(":focus").innerText();
    await page.keyboard.press("j");
    expect(await focused()).toContain("receiver.expiry");
    expect(await page.locator(".failure > summary:focus").count()).toBe(1);
    await page.keyboard.press("j");
    expect(await page.locator(".rule > summary:focus").count()).toBe(1);
    await page.keyboard.press("j");
    expect(await focused()).toContain("wrong@viewOrganization");
    await page.keyboard.press("Enter");
    expect(await page.locator("details.case.fail[open]").count()).toBe(1);
    await page.keyboard.press("k");
    expect(await page.locator(".rule > summary:focus").count()).toBe(1);
    await page.keyboard.press("/");
    await page.keyboard.type("jk/");
    expect(await page.getByLabel("Text").inputValue()).toBe("jk/");
    await page.keyboard.press("Escape");
    expect(await page.locator("input:focus").count()).toBe(0);
    // Enter leads from the search to what it found.
    await page.getByRole("button", { name: "Show all" }).click();
    await page.keyboard.press("/");
    await page.keyboard.type("late@readChange");
    await page.keyboard.press("Enter");
    expect(await page.locator(".case > summary:focus h4").innerText()).toBe("late@readChange");
    await page.keyboard.press("Enter");
    const opened = page.locator("details.case[open] > summary:focus");
    expect(await opened.isVisible()).toBe(true);
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe(
      "solid",
    );
    expect(await page.locator("details.case:has(> summary:focus) .actions").isVisible()).toBe(true);
  });

  it.each([1280, 390])(
    "brings what Enter opens at the lower edge into sight, %i pixels wide",
    async (width) => {
      const page = await open(passing, "#all", { viewport: { width, height: 700 } });
      const line = page.locator("summary:focus");
      await page.keyboard.press("j");
      await page.keyboard.press("Enter");
      for (let times = 0; times < 25; times += 1) await page.keyboard.press("j");
      const before = (await line.boundingBox())?.y ?? 0;
      expect(before).toBeGreaterThan(400);
      await page.keyboard.press("Enter");
      await expect.poll(async () => (await line.boundingBox())?.y).toBeLessThan(350);
      const bars = await page.evaluate(
        `Math.max(...[document.querySelector(".sections"), document.querySelector(".filters"), document.querySelector("#found")].map((bar) => bar.getBoundingClientRect().bottom))`,
      );
      expect((await line.boundingBox())?.y).toBeGreaterThanOrEqual(Number(bars) - 1);
      expect(await page.locator("details.case[open] > .content").isVisible()).toBe(true);
    },
  );

  it("shows the decoded token of control and probe", async () => {
    const page = await open(failing);
    const one = await openCase(page, "fail");
    await one.locator(".exchanges > summary").click();
    for (const [role, audience] of [
      ["control", "here"],
      ["probe", "there"],
    ]) {
      const article = one.locator(`article.${role}`);
      await article.getByText("Token, decoded").waitFor();
      expect(await article.innerText()).toContain(`claim aud: "${audience}"`);
    }
  });

  it.each([1280, 390])(
    "shows what an address names below the bars, %i pixels wide",
    async (width) => {
      const page = await open(passing, "", { viewport: { width, height: 700 } });
      for (const id of ["receiver.expiry/case-20@viewOrganization", "receiver.expiry"]) {
        await page.evaluate(`location.hash = ${JSON.stringify(`#${encodeURIComponent(id)}`)}`);
        const line = page.locator("summary:focus");
        await line.waitFor();
        const top = (await line.boundingBox())?.y ?? 0;
        const bars = await page.evaluate(
          `Math.max(...[document.querySelector(".sections"), document.querySelector(".filters"), document.querySelector("#found")].map((bar) => bar.getBoundingClientRect().bottom))`,
        );
        expect(top).toBeGreaterThanOrEqual(Number(bars) - 1);
        expect(top).toBeLessThan(650);
      }
      expect(await page.getByRole("navigation").isVisible()).toBe(true);
      await page.getByRole("navigation").getByRole("link", { name: "Matrix" }).click();
      expect((await page.locator("#matrix").boundingBox())?.y).toBeGreaterThanOrEqual(39);
    },
  );

  it("lists the failures of a rule by mutation", async () => {
    const page = await open(
      reportOf([
        result("wrong@viewOrganization"),
        result("late@viewOrganization"),
        result("wrong@readChange", { operation: "readChange" }),
        result("late@readChange", { operation: "readChange" }),
      ]),
    );
    expect(await shownCases(page)).toEqual([
      "wrong@viewOrganization",
      "wrong@readChange",
      "late@viewOrganization",
      "late@readChange",
    ]);
    expect(
      (await page.locator(".failure .others li").allTextContents()).map((text) =>
        text.replaceAll(/\s+/g, " ").trim(),
      ),
    ).toEqual([
      "late exp passed an hour ago: 200 OK viewOrganization, readChange",
      "wrong exp passed an hour ago: 200 OK readChange",
    ]);
  });

  it("shows the authorization server's rules by clients, in their own matrix", async () => {
    const page = await open(bothSides);
    const tables = page.locator(".matrix table");
    expect(await tables.count()).toBe(2);
    expect(await tables.first().locator("tbody th[scope=row]").allInnerTexts()).toEqual(["expiry"]);
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
    await one.locator(".exchanges").waitFor();
    expect(await page.locator("details.case.pass[open] > summary:focus").count()).toBe(1);
    expect(await shownCases(page)).toHaveLength(5);
  });
});
