import { writeFileSync } from "node:fs";
import { join } from "node:path";

import type { Page } from "playwright-core";
import { expect, it, onTestFinished } from "vitest";

import { startReference } from "../../src/reference/index.ts";
import type { TestIo } from "../cli/io.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { BUNDLED_JWKS } from "../support/run-against.ts";
import { openCommand, world } from "./workbench.ts";

/** Opens the report of a folder with files, and its page in a browser. Both are closed with the test. */
async function inBrowser(
  files: Readonly<Record<string, string>>,
  ...more: readonly string[]
): Promise<{ readonly io: TestIo; readonly page: Page; readonly problems: readonly string[] }> {
  const io = await openCommand(files, ...more);
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  const page = await openPage(browser);
  const problems: string[] = [];
  page.on("console", (message) => problems.push(message.text()));
  page.on("pageerror", (error) => problems.push(String(error)));
  await page.goto(io.out.trim());
  return { io, page, problems };
}

it.skipIf(chromiumPath === undefined)(
  "leads from a failed case to what is wrong, in a browser and against a receiver",
  async () => {
    const receiver = await world();
    const { files, profile } = receiver;
    onTestFinished(() => receiver.close());
    const { page, problems } = await inBrowser(files);
    expect(new URL(page.url()).search).toBe("");

    // The form begins with a good request.
    const send = page.getByRole("button", { name: "Send", exact: true });
    const aud = page.getByLabel("aud", { exact: true });
    await expect.poll(() => aud.inputValue()).toBe(profile["baseUrl"]);
    await send.click();
    const agreement = page.locator(".agreement");
    await agreement.getByText("No. 1: The deployment accepts it, as the contract says.").waitFor();

    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    await page.keyboard.type("below view");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("#case:focus").waitFor();
    const differing = page.locator(".pair").first().locator("tr.differs");
    expect(await differing.innerText()).toContain("aud:");
    expect(await page.locator(".claim .unlike:not(:empty)").allInnerTexts()).toEqual([
      `≠ control: "${String(profile["baseUrl"])}"`,
    ]);
    await send.click();
    await agreement
      .getByText("No. 2: The contract says that it is rejected, and it is not")
      .waitFor();
    expect(await page.locator(".answer").innerText()).toContain("Receiver check 3");
    await aud.fill("https://elsewhere.example.com");
    await aud.press("Control+Enter");
    await agreement.getByText("No. 3: The deployment rejects it, as the contract says.").waitFor();

    await page.getByRole("button", { name: "curl" }).click();
    await page.locator(".make pre").getByText("$TOKEN").waitFor();
    await page.getByRole("button", { name: "Judge this case again" }).click();
    await page.locator(".about").getByText("fail → fail").waitFor();
    await page.locator(".status").getByText("Judged 1 case: 1 fail.").waitFor();
    await page.getByRole("link", { name: "The whole report" }).click();
    await page
      .getByText(/of \d+ cases/)
      .first()
      .waitFor();
    expect(problems).toEqual([]);
  },
);

it.skipIf(chromiumPath === undefined)(
  "with --watch, shows that a case passes as soon as the receiver is mended, without a click",
  async () => {
    const broken = await world();
    const { files, profile } = broken;
    const { io, page } = await inBrowser(files, "--watch", ".");
    const cases = page.getByRole("navigation", { name: "Cases" });
    const link = cases.getByRole("link", { name: /below@viewOrganization/ });
    // Keys that are pressed before the cases are there find none.
    await link.waitFor();
    await page.keyboard.press("/");
    await page.keyboard.type("below view");
    await page.keyboard.press("Enter");
    await page.keyboard.press("Enter");
    await page.locator("#case:focus").waitFor();

    // The receiver starts again, mended, as a developer's does when a file is saved.
    await broken.close();
    const { port } = new URL(String(profile["baseUrl"]));
    const mended = await startReference({ jwks: BUNDLED_JWKS, port: Number(port) });
    onTestFinished(() => mended.close());
    writeFileSync(join(io.cwd, "receiver.ts"), "mended");
    await link.getByText("fail → pass").waitFor();
    await page.locator(".about").getByText("fail → pass").waitFor();
    await page
      .locator(".status")
      .getByText(/^Judged \d+ cases?: \d+ pass\.$/)
      .waitFor();
    expect(await page.locator("#case").isVisible()).toBe(true);
  },
);
