import { existsSync } from "node:fs";

import { type Browser, type BrowserContextOptions, chromium, type Page } from "playwright-core";

import { HANGS_MS } from "./hangs.ts";

const PLACES = [
  process.env["CHROMIUM"],
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

const NO_CHROMIUM = "no Chromium was found; CHROMIUM can name its path";

/** Where Chromium is, or nothing. With REQUIRE_CHROMIUM=1 it has to be somewhere. */
export const chromiumPath: string | undefined = PLACES.find(
  (place) => place !== undefined && existsSync(place),
);

if (chromiumPath === undefined && process.env["REQUIRE_CHROMIUM"] === "1") {
  throw new Error(`REQUIRE_CHROMIUM is set, but ${NO_CHROMIUM}`);
}

/** A headless Chromium that sends no requests of its own. */
export async function launchChromium(): Promise<Browser> {
  if (chromiumPath === undefined) throw new Error(NO_CHROMIUM);
  return chromium.launch({
    executablePath: chromiumPath,
    timeout: HANGS_MS,
    args: [
      "--no-sandbox",
      "--disable-gpu",
      "--disable-quic",
      "--no-first-run",
      "--disable-background-networking",
      "--disable-component-update",
      "--disable-sync",
    ],
  });
}

/** A page with time limits for slow machines. */
export async function openPage(browser: Browser, options?: BrowserContextOptions): Promise<Page> {
  const context = await browser.newContext(options);
  context.setDefaultTimeout(HANGS_MS);
  return context.newPage();
}
