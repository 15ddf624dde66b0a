import type { Browser } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

import { codeGrant } from "../../src/authorization-server/protocol/grants.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { client, connected } from "./clients.ts";

/** The steps of a person, and the text of the last page. */
async function allow(browser: Browser, url: string): Promise<string> {
  const page = await openPage(browser);
  await page.goto(url);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL("**/callback?**");
  return page.locator("body").innerText();
}

test.skipIf(chromiumPath === undefined)("a person gives consent in a browser", async () => {
  const { connection } = await connected();
  const browser = await launchChromium();
  onTestFinished(() => browser.close());
  let shown: Promise<string> | undefined;
  const admin = client("admin", "authorization_code", {
    async consent(url) {
      shown = allow(browser, url);
      await shown;
    },
  });
  const coded = await connection.consents.obtain(admin, ["org:read"]);
  if ("failed" in coded) throw new Error(coded.failed);
  expect(await shown).toContain("You can close this page");
  const grant = codeGrant(coded.request, coded.answer.code ?? "");
  const response = await connection.request("a/b", admin, grant);
  expect(response).toMatchObject({ tokenType: "Bearer", scope: "org:read" });
});
