import { expect, it } from "vitest";

import { curlCommand } from "../../src/report/curl.ts";
import { bothSides, failing, inBrowser, openCase, probe, shownCases } from "./pages.ts";

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
    const page = await open(failing);
    expect(await page.locator("details.case").count()).toBe(0);
    const one = await openCase(page, "pass");
    await one.locator(".exchanges > summary").click();
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
    expect(await page.getByRole("status").innerText()).toBe("5 cases");
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
