import { expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { reportFrom } from "../../src/report/json.ts";
import { listen } from "../cli/servers.ts";
import { runAgainst } from "../support/run-against.ts";
import { exchange, reportOf, result } from "./events.ts";
import { control, inBrowser, openCase, probe, rendered } from "./pages.ts";

const HOSTILE =
  "<script>alert(1)</script><img src=x onerror=alert(2)>'\"&amp;</pre></title>\u001B[31m\u0007\u202Egnp";

const HOSTILE_SHOWN = `<script>alert(1)</script><img src=x onerror=alert(2)>'"&amp;</pre></title>\\u{1b}[31m\\u{7}\\u{202e}gnp`;

inBrowser((open) => {
  it("shows as text whatever a target sends", async () => {
    const hostile = exchange("x2", {
      request: { ...probe.request, url: `http://127.0.0.1/${HOSTILE}` },
      response: {
        status: 200,
        headers: { [HOSTILE]: HOSTILE },
        body: JSON.stringify({ [HOSTILE]: HOSTILE }) + HOSTILE,
        truncated: false,
      },
    });
    const report = reportOf(
      [
        result("bad@viewOrganization", {
          title: HOSTILE,
          expected: phrase`${HOSTILE}`,
          actual: phrase`${HOSTILE}`,
          evidence: {
            probes: ["x2"],
            controls: ["x1"],
            differences: [{ part: "path", control: HOSTILE, probe: HOSTILE }],
          },
        }),
        result("unsure", { outcome: "inconclusive", reason: phrase`${HOSTILE}` }),
      ],
      {
        observations: [{ id: "o", title: HOSTILE, value: phrase`${HOSTILE}` }],
        setup: [{ problem: HOSTILE, remedy: HOSTILE }],
        suiteErrors: [HOSTILE],
        verdictText: HOSTILE,
      },
      [control, hostile],
    );
    const source = await rendered(report);
    expect(source).not.toMatch(/[^\P{C}\n]/u);
    const page = await open(report);
    const one = await openCase(page, "fail");
    await page.locator("section > details > summary", { hasText: "contract leaves open" }).click();
    expect(await page.locator("script").count()).toBe(2);
    expect(await page.locator("img").count()).toBe(0);
    for (const place of [
      ".lead",
      ".set-up",
      ".suite-errors",
      ".failure",
      "details.fail",
      ".observations",
    ]) {
      expect(await page.locator(place).first().innerText()).toContain(HOSTILE_SHOWN);
    }
    expect(await one.locator("article").last().textContent()).toContain(
      `\n${HOSTILE_SHOWN}: ${HOSTILE_SHOWN}\n`,
    );
  });

  it("isolates right-to-left text", async () => {
    const page = await open(reportOf([result("bad", { actual: phrase`\u05D0\u05D1\u05D2` })]));
    expect(await page.locator(".failure bdi").first().innerText()).toBe("\u05D0\u05D1\u05D2");
  });

  it("shows a run against a hostile deployment", async () => {
    let requests = 0;
    const { baseUrl } = await listen((_request, response) => {
      const long = "m".repeat(requests === 0 ? 10_000_000 : 10);
      requests += 1;
      response.setHeader("x-hostile", "<script>alert(3)</script>\u00AD");
      response.setHeader("content-type", "application/json");
      response.end(JSON.stringify({ message: HOSTILE + long }));
    });
    const { events } = await runAgainst(
      { baseUrl, organizations: { primary: "3f6c1d52-8a0e-4b7d-9c41-5e2a7f90b813" } },
      { patterns: ["receiver.token-required/missing@*", "receiver.audience/other@*"] },
    );
    const page = await open(reportFrom(events));
    expect(await page.locator("h2", { hasText: "Not conformant" }).count()).toBe(1);
    expect(await page.locator(".failure .exchanges article").first().textContent()).toMatch(
      /x-hostile: <script>alert\(3\)<\/script>.?\\u\{ad\}/,
    );
    expect(await page.locator("script").count()).toBe(2);
  });
});
