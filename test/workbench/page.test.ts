import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import { violations } from "../report/pages.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { type Fake, type FakeServer, obliging, startFake, withClaims } from "./fake.ts";

const CASE = "receiver.audience/other@viewOrganization";
const BASE = "https://sync.example.com/v1";

describe.skipIf(chromiumPath === undefined)("the page of the workbench, in a browser", () => {
  let browser: Browser;
  beforeAll(async () => {
    browser = await launchChromium();
  });
  afterAll(() => browser.close());

  /** The page over a fake server. Any request elsewhere, console message or dialog fails the test. */
  async function open(
    fake: Fake,
    options: BrowserContextOptions & { readonly id?: string } = {},
  ): Promise<{ page: Page; server: FakeServer }> {
    const { id = CASE, ...context } = options;
    const server = await startFake(fake);
    const page = await openPage(browser, context);
    const trouble: string[] = [];
    page.on("request", (one) => {
      if (!one.url().startsWith(server.url)) trouble.push(`request ${one.url()}`);
    });
    page.on("console", (message) => trouble.push(`console ${message.text()}`));
    page.on("pageerror", (error) => trouble.push(`error ${error.message}`));
    page.on("dialog", (dialog) => {
      trouble.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    onTestFinished(async () => {
      await page.context().close();
      await server.close();
      expect(trouble).toEqual([]);
    });
    await page.goto(`${server.url}${id === "" ? "" : `#${encodeURIComponent(id)}`}`);
    await page.getByRole("navigation", { name: "Cases" }).waitFor();
    if (id !== "") await page.locator("#case").waitFor();
    return { page, server };
  }

  it("lists the cases by rule, and finds some of them", async () => {
    const { page } = await open(obliging(), { id: "" });
    const cases = page.getByRole("navigation", { name: "Cases" }).getByRole("link");
    expect(await cases.count()).toBe(3);
    expect(await cases.first().innerText()).toMatch(/other@viewOrganization\s+fail/);
    await page.getByLabel("Search the cases").fill("audience edit");
    expect(await page.getByRole("status").first().innerText()).toBe("1 case");
    await page.getByLabel("Search the cases").press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("#case:focus").waitFor();
    expect(await page.locator("#case").innerText()).toContain("other@editOrganization");
    expect(decodeURIComponent(new URL(page.url()).hash)).toBe(
      "#receiver.audience/other@editOrganization",
    );
    expect(await page.getByRole("link", { name: "The whole report" }).getAttribute("href")).toBe(
      "report",
    );
  });

  it("shows control and probe side by side, with the difference marked, and the clause", async () => {
    const { page } = await open(obliging());
    const pair = page.getByRole("table", { name: "Control and Probe, side by side" });
    expect(await pair.locator("thead th").allInnerTexts()).toEqual(["Control", "Probe"]);
    expect(await pair.locator(".group").allInnerTexts()).toEqual([
      "Request",
      "Token header",
      "Token claims",
      "Answer",
    ]);
    const differing = pair.locator("tr.differs");
    expect(await differing.count()).toBe(1);
    expect(await differing.innerText()).toContain(`aud: "${BASE}"`);
    expect(await differing.locator("mark").allInnerTexts()).toEqual([
      "sync.example.com/v1",
      "other.example.com",
    ]);
    expect(await differing.locator(".unlike").innerText()).toBe("≠");
    const about = page.getByRole("region", { name: "other@viewOrganization" });
    expect(await about.innerText()).toContain("Authentication / Receiver checks / 3");
    expect(await about.innerText()).toContain("anybody who runs one can replay");
  });

  it("sends an edited claim, and says what the contract says of it", async () => {
    const { page, server } = await open(obliging());
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const result = page.locator(".answer");
    expect(await result.innerText()).toContain(
      "No. 1: The deployment does not do what the contract says.",
    );
    expect(await result.innerText()).toMatch(/rejected by 1 check\s+Receiver check 3, because/);
    await page.getByLabel("aud", { exact: true }).fill(BASE);
    await page.getByLabel("aud", { exact: true }).press("Control+Enter");
    await page.getByText("No. 2: The deployment does what the contract says.").waitFor();
    expect(server.asked.map(({ body }) => body)).toEqual([
      { edited: withClaims({ aud: "https://other.example.com" }), from: CASE },
      { edited: withClaims({ aud: BASE }), from: CASE },
    ]);
  });

  it.each([
    ["light", 1280],
    ["dark", 1280],
    ["light", 390],
    ["dark", 390],
  ] as const)("is accessible and fits, %s, %s px wide", async (colorScheme, width) => {
    const viewport = { width, height: 800 };
    const { page } = await open(obliging(), { colorScheme, viewport });
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".answer").waitFor();
    await page.getByRole("button", { name: "curl" }).click();
    await page.getByRole("button", { name: "Copy" }).waitFor();
    await page.getByRole("button", { name: "Repeat no. 1" }).click();
    await page.getByText("No. 2: ").waitFor();
    await page.getByLabel("Compare no. 1").check();
    await page.getByLabel("Compare no. 2").check();
    for (const details of await page.locator("details").all()) {
      await details.evaluate((one) => one.setAttribute("open", ""));
    }
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });
});
