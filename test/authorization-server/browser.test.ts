import type { Browser } from "playwright-core";
import { expect, onTestFinished, test } from "vitest";

import { connect } from "../../src/authorization-server/protocol/connection.ts";
import { codeGrant } from "../../src/authorization-server/protocol/grants.ts";
import { startAuthorizationServer } from "../../src/reference/authorization-server/index.ts";
import { SERVER_STEPS } from "../../src/reference/authorization-server/steps.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import { client, serverOf } from "./clients.ts";

/** The steps of a person, and the text of the last page. */
async function allow(browser: Browser, url: string): Promise<string> {
  const page = await openPage(browser);
  await page.goto(url);
  await page.getByRole("button", { name: "Allow" }).click();
  await page.waitForURL("**/callback?**");
  return page.locator("body").innerText();
}

test.skipIf(chromiumPath === undefined)("a person gives consent in a browser", async () => {
  const running = await startAuthorizationServer({
    steps: SERVER_STEPS,
    audience: () => "http://127.0.0.1:9/common-grants",
    bindingClaim: "https://example.com/org_id",
  });
  const browser = await launchChromium();
  const connection = connect(serverOf(running.issuer), { timeoutMs: 30_000 });
  onTestFinished(async () => {
    await Promise.all([connection.close(), browser.close()]);
    await running.close();
  });
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
