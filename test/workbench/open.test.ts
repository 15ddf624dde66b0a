import { request } from "node:http";

import { expect, it, onTestFinished } from "vitest";

import { reportJson } from "../../src/report/json.ts";
import { command, createIo, refusal, type TestIo } from "../cli/io.ts";
import { failing } from "../report/pages.ts";
import { chromiumPath, launchChromium } from "../support/chromium.ts";

const FILES = { "report.json": reportJson(failing) };

/** The command, with its link. It is stopped with the test. */
async function opened(): Promise<{ io: TestIo; link: URL; ended: Promise<{ code: number }> }> {
  const io = createIo({}, "", FILES);
  const ended = command(["open", "report.json", "--no-browser"], io);
  await Promise.race([io.said("Ctrl-C stops it"), ended]);
  expect(io.err).toContain("The link works once");
  onTestFinished(async () => {
    io.stop();
    await ended;
  });
  return { io, link: new URL(io.out.trim()), ended };
}

interface Got {
  readonly status: number | undefined;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

/** One request with exactly these header fields, which `fetch` would not send. */
function get(url: URL, headers: Record<string, string> = {}, method = "GET"): Promise<Got> {
  return new Promise((resolve, reject) => {
    const sent = request(url, { headers, method, agent: false }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (part: string) => (body += part));
      response.on("end", () => {
        resolve({ status: response.statusCode, headers: response.headers, body });
      });
    });
    sent.on("error", reject).end();
  });
}

async function signedIn(link: URL): Promise<{ page: URL; cookie: string }> {
  const { status, headers } = await get(link);
  expect(status).toBe(303);
  const [field = ""] = headers["set-cookie"] ?? [];
  expect(field).toMatch(/; Path=\/[\w-]{32}\/; HttpOnly; SameSite=Strict$/);
  const page = new URL(String(headers["location"]), link);
  expect(page.search).toBe("");
  return { page, cookie: field.split(";", 1)[0] ?? "" };
}

it("takes the token once, and then the cookie alone", async () => {
  const { link } = await opened();
  const { page, cookie } = await signedIn(link);
  expect(await get(link)).toMatchObject({ status: 403 });
  expect(await get(page)).toMatchObject({ status: 403 });
  expect(await get(page, { cookie: `${cookie}x` })).toMatchObject({ status: 403 });
  expect(await get(link, { cookie })).toMatchObject({ status: 303 });
  expect(await get(page, { cookie })).toMatchObject({ status: 200 });
  const report = await get(new URL("report", page), { cookie });
  expect(report.status).toBe(200);
  expect(report.body).toContain("receiver.expiry");
});

it("does not spend the token on a wrong one", async () => {
  const { link } = await opened();
  const wrong = new URL(link);
  wrong.searchParams.set("token", "a".repeat(32));
  expect(await get(wrong)).toMatchObject({ status: 403 });
  await signedIn(link);
});

it("refuses another Host, as after DNS rebinding, and another Origin, with token or cookie", async () => {
  const { link } = await opened();
  for (const host of ["attacker.test", `attacker.test:${link.port}`, `localhost:${link.port}`]) {
    expect(await get(link, { host })).toMatchObject({ status: 403 });
  }
  for (const origin of ["http://attacker.test", "null", "http://127.0.0.1", `${link.origin}0`]) {
    expect(await get(link, { origin })).toMatchObject({ status: 403 });
  }
  const { page, cookie } = await signedIn(link);
  const host = `attacker.test:${link.port}`;
  expect(await get(page, { cookie, host })).toMatchObject({ status: 403 });
  expect(await get(page, { cookie, origin: "null" })).toMatchObject({ status: 403 });
  expect(await get(page, { cookie }, "POST")).toMatchObject({ status: 403 });
  expect(await get(page, { cookie, origin: link.origin }, "POST")).toMatchObject({ status: 405 });
  expect(await get(page, { cookie })).toMatchObject({ status: 200 });
});

it("sends a strict policy with every answer", async () => {
  const { link } = await opened();
  const denied = await get(new URL("/", link));
  const { page, cookie } = await signedIn(link);
  const shown = await get(page, { cookie });
  const missing = await get(new URL("other", page), { cookie });
  expect([denied.status, shown.status, missing.status]).toEqual([403, 200, 404]);
  for (const { headers } of [denied, shown, missing]) {
    expect(headers).toMatchObject({
      "cache-control": "no-store",
      "referrer-policy": "no-referrer",
    });
    const policy = String(headers["content-security-policy"]);
    expect(policy).toMatch(/^default-src 'none'; .*; frame-ancestors 'none'$/);
    expect(policy).not.toContain("unsafe");
  }
  expect(shown.headers["content-security-policy"]).toContain("script-src 'sha256-");
});

it("closes with the command, with open connections too", async () => {
  const { io, link, ended } = await opened();
  const broken = fetch(link, { redirect: "manual", keepalive: true });
  expect((await broken).status).toBe(303);
  io.stop();
  expect(await ended).toMatchObject({ code: 0 });
  await expect(get(link)).rejects.toThrow("ECONNREFUSED");
});

it("says which port is taken", async () => {
  const { link } = await opened();
  const other = command(
    ["open", "report.json", "--no-browser", "--port", link.port],
    createIo({}, "", FILES),
  );
  expect(await refusal(other)).toContain(`cannot listen on port ${link.port}: the port is taken`);
});

it.skipIf(!chromiumPath)(
  "shows the failed case in a browser, which asks for nothing else",
  async () => {
    const { link } = await opened();
    const browser = await launchChromium();
    try {
      const page = await browser.newPage();
      const asked: string[] = [];
      const problems: string[] = [];
      page.on("request", (one) => asked.push(new URL(one.url()).origin));
      page.on("pageerror", (error) => problems.push(String(error)));
      await page.goto(link.href);
      expect(new URL(page.url()).search).toBe("");
      await page.goto(new URL("report", page.url()).href);
      // The script of the page has run under the policy of the header.
      expect(await page.getByRole("status").innerText()).toBe("1 of 5 cases");
      expect(new Set(asked)).toEqual(new Set([link.origin]));
      expect(problems).toEqual([]);
    } finally {
      await browser.close();
    }
  },
);
