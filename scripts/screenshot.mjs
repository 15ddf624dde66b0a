// `npm run screenshot` takes the picture of the report page for the README, docs/report.webp. It certifies
// the reference receiver with a fault, using the built command. It needs Chromium; CHROMIUM overrides its
// path.
import { execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";

import { chromium } from "playwright-core";

const picture = fileURLToPath(new URL("../docs/report.webp", import.meta.url));
const command = fileURLToPath(new URL("../bin/orgsync-conformance.js", import.meta.url));
const VIEWPORT = { width: 1200, height: 1150 };
const QUALITY = 70;

const folder = mkdtempSync(join(tmpdir(), "orgsync-screenshot-"));
const receiver = spawn(process.execPath, [command, "serve", "--fault", "audience-by-prefix"], {
  stdio: ["ignore", "pipe", "inherit"],
});
try {
  const [profile] = await once(receiver.stdout.setEncoding("utf8"), "data");
  writeFileSync(join(folder, "orgsync.yaml"), profile);
  // The command exits 1 because the receiver is not conformant.
  await promisify(execFile)(process.execPath, [command, "run", "--seed", "1", "--report", "html"], {
    cwd: folder,
  }).catch(({ code, stderr }) => {
    if (code !== 1) throw new Error(stderr);
  });
  writeFileSync(picture, await photograph(join(folder, "reports", "report.html")));
} finally {
  receiver.kill();
  rmSync(folder, { recursive: true });
}

/** A screenshot of the top of a page, as WebP. */
async function photograph(file) {
  const browser = await chromium.launch({
    executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium",
    args: ["--no-sandbox", "--disable-gpu"],
  });
  try {
    const page = await browser.newPage({ viewport: VIEWPORT, colorScheme: "light" });
    await page.goto(pathToFileURL(file).href);
    const devtools = await page.context().newCDPSession(page);
    const { data } = await devtools.send("Page.captureScreenshot", {
      format: "webp",
      quality: QUALITY,
    });
    return Buffer.from(data, "base64");
  } finally {
    await browser.close();
  }
}
