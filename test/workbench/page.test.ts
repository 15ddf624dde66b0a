import type { Browser, BrowserContextOptions, Page } from "playwright-core";
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from "vitest";

import type { Edited, SendRequest } from "../../src/workbench/api.ts";
import { violations } from "../report/pages.ts";
import { chromiumPath, launchChromium, openPage } from "../support/chromium.ts";
import {
  detailOf,
  type Fake,
  type FakeServer,
  obliging,
  shown,
  startFake,
  STATE,
  withClaims,
} from "./fake.ts";

const CASE = "receiver.audience/other@viewOrganization";
const BASE = "https://sync.example.com/v1";
const HOSTILE =
  "<script>alert(1)</script><img src=x onerror=alert(2)>'\"&amp;</pre></title>\u001B[31m\u0007\u202Egnp";
const HOSTILE_SHOWN =
  "<script>alert(1)</script><img src=x onerror=alert(2)>'\"&amp;</pre></title>\\u{1b}[31m\\u{7}\\u{202e}gnp";

function claimsOf({ credential }: Edited): Record<string, unknown> {
  return credential.kind === "sign" ? { ...credential.claims } : {};
}

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

  it("shows the one request of a case that has no control", async () => {
    const { page } = await open({
      ...obliging(),
      detail: (id) => ({ ...detailOf(id), control: undefined }),
    });
    const table = page.getByRole("table", { name: "Probe" });
    expect(await table.locator("thead th").allInnerTexts()).toEqual(["Probe"]);
    expect(await table.innerText()).not.toContain("absent");
    expect(await table.innerText()).toContain('aud: "https://other.example.com"');
  });

  it("sends an edited claim, and says what the contract says of it", async () => {
    const { page, server } = await open(obliging());
    const unlike = page.locator(".claim .unlike:not(:empty)");
    expect(await unlike.allInnerTexts()).toEqual([`≠ control: "${BASE}"`]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    const result = page.locator(".answer");
    await result.waitFor();
    expect(await page.locator(".status").innerText()).toBe(
      "No. 1: The contract says that it is rejected, and it is not.",
    );
    expect(await result.innerText()).toMatch(/rejected by 1 check\s+Receiver check 3, because/);
    await page.getByLabel("aud", { exact: true }).fill(BASE);
    expect(await unlike.count()).toBe(0);
    await page.getByLabel("aud", { exact: true }).press("Control+Enter");
    await page.locator(".agreement").getByText("No. 2: The deployment accepts it, as").waitFor();
    expect(server.asked.map(({ body }) => body)).toEqual([
      { edited: withClaims({ aud: "https://other.example.com" }), from: CASE },
      { edited: withClaims({ aud: BASE }), from: CASE },
    ]);
  });

  it("begins with the probe, the control or a good request, with JSON for what has no field", async () => {
    const { page, server } = await open(obliging());
    const send = page.getByRole("button", { name: "Send", exact: true });
    await page.getByRole("button", { name: "the control" }).click();
    await page.getByLabel("Method").fill("DELETE");
    await page.getByLabel("Path and query").fill("//elsewhere.example.com/%00?a=1");
    await page.getByLabel("Header fields").fill("authorization: Bearer ${token}\nx-more: a: b");
    await page.getByLabel("It has a body").check();
    await page.getByLabel("Body", { exact: true }).fill('{"a":\n1}');
    await page
      .getByLabel("The token is")
      .selectOption({ label: "signed with another key of that type" });
    await page.getByLabel("The token has sub").uncheck();
    await page.getByLabel("exp", { exact: true }).fill("1700000000");
    await page.getByLabel("grant_type", { exact: true }).fill("client_credentials");
    await page.getByLabel("Other claims").fill('{"roles":["admin"],"nbf":"17"}');
    await page.getByLabel("Header, as JSON").fill('{"alg":"none"}');
    await send.click();
    await page.getByRole("button", { name: "Send this write" }).click();
    await page.locator(".answer").waitFor();
    const { sub: _none, jti: _neither, ...claims } = claimsOf(withClaims({}));
    expect(server.asked.at(-1)?.body).toEqual({
      confirmed: true,
      from: CASE,
      edited: {
        method: "DELETE",
        path: "//elsewhere.example.com/%00?a=1",
        headers: [
          ["authorization", "Bearer ${token}"],
          ["x-more", "a: b"],
        ],
        body: '{"a":\n1}',
        credential: {
          kind: "sign",
          key: "other",
          header: { alg: "none" },
          claims: {
            ...claims,
            exp: 1_700_000_000,
            grant_type: "client_credentials",
            roles: ["admin"],
            nbf: "17",
          },
        },
      },
    });
    await page.getByLabel("The token is").selectOption({ label: "the token of client admin" });
    expect(await page.getByLabel("aud", { exact: true }).isVisible()).toBe(false);
    await page.getByLabel("Begin with a good request").selectOption("viewOrganization");
    await page.getByLabel("aud", { exact: true }).waitFor();
    await send.click();
    await page.getByText("No. 2: ").first().waitFor();
    expect(server.asked.at(-1)?.body).toEqual({ edited: withClaims({}), from: CASE });
  });

  it("says which field cannot be read, and sends nothing", async () => {
    const { page, server } = await open(obliging());
    const others = page.getByLabel("Other claims");
    for (const [text, problem] of [
      ["{", "Other claims, as JSON: this is not JSON"],
      ["[]", "Other claims, as JSON: this is JSON, but not an object."],
      ['{"aud":"x"}', "Other claims, as JSON: aud stands here and in its own field."],
    ] as const) {
      await others.fill(text);
      await others.press("Control+Enter");
      await page.getByRole("alert").getByText(problem).waitFor();
      expect(await others.getAttribute("aria-invalid")).toBe("true");
    }
    await others.fill("");
    await page.getByLabel("Header fields").fill("no colon");
    await others.press("Control+Enter");
    await page.getByRole("alert").getByText("“no colon” is not “name: value”").waitFor();
    expect(await page.locator(":focus").getAttribute("id")).toBe("headers");
    expect(server.asked).toEqual([]);
  });

  it("asks once more before a write, and can leave it", async () => {
    const { page, server } = await open(obliging());
    await page.getByLabel("Method").fill("PATCH");
    await page.getByLabel("Method").press("Control+Enter");
    const yes = page.getByRole("button", { name: "Send this write" });
    await yes.waitFor();
    expect(await page.locator(":focus").innerText()).toBe("Send this write");
    expect(await page.locator(".asked").innerText()).toContain("19 writes may still be accepted.");
    await page.getByRole("button", { name: "Cancel" }).click();
    await yes.waitFor({ state: "detached" });
    expect(await page.locator(".answer").count()).toBe(0);
    await page.getByLabel("Method").press("Control+Enter");
    await yes.click();
    await page.locator(".answer").waitFor();
    expect(server.asked.map(({ body }) => (body as SendRequest).confirmed)).toEqual([
      undefined,
      undefined,
      true,
    ]);
  });

  it("repeats what was sent, compares two, and puts one into the form", async () => {
    const { page, server } = await open(obliging());
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.getByRole("button", { name: "Repeat no. 1" }).click();
    await page.getByRole("button", { name: "the control" }).click();
    await page.getByRole("button", { name: "Edit no. 1" }).click();
    const aud = page.getByLabel("aud", { exact: true });
    expect(await aud.inputValue()).toBe("https://other.example.com");
    await aud.fill(BASE);
    await aud.press("Control+Enter");
    await page.getByRole("button", { name: "Open no. 3" }).waitFor();
    expect(server.asked[1]).toEqual(server.asked[0]);
    await page.getByLabel("Compare no. 2").check();
    await page.getByText("Choose another one.").waitFor();
    await page.getByLabel("Compare no. 1").check();
    await page.getByRole("table", { name: "No. 1 and No. 2, side by side" }).waitFor();
    await page.getByLabel("Compare no. 3").check();
    const pair = page.getByRole("table", { name: "No. 1 and No. 3, side by side" });
    expect(await pair.locator("tr.differs").allInnerTexts()).toEqual([
      expect.stringMatching(/aud: "https:\/\/other.*aud: "https:\/\/sync/s),
    ]);
    expect(await page.getByLabel("Compare no. 2").isChecked()).toBe(false);
    await page.getByRole("button", { name: "Open no. 1" }).click();
    await page.locator(".answer").getByText("No. 1: ").waitFor();
  });

  it("makes a case, a curl command and a .http file of what was sent", async () => {
    const { page } = await open(obliging());
    await page.context().grantPermissions(["clipboard-read", "clipboard-write"]);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    for (const [button, as] of [
      ["a case of your pack", "case"],
      ["curl", "curl"],
      ["a .http file", "http"],
    ] as const) {
      await page.getByRole("button", { name: button, exact: true }).click();
      await page.getByText(`request.${as}`).waitFor();
      await page.getByRole("button", { name: "Copy" }).click();
      await page.getByRole("button", { name: "Copied" }).waitFor();
      expect(await page.evaluate("navigator.clipboard.readText()")).toBe(
        `${as} of no. 1\nsecond line`,
      );
    }
  });

  it("judges a case, a rule and all again, and shows the outcome before and now", async () => {
    const { page, server } = await open(obliging());
    await page.getByRole("button", { name: "Judge this rule again" }).click();
    await page.getByRole("button", { name: "Judge all that failed again" }).click();
    const again = page.getByRole("button", { name: "Judge this case again" });
    await again.click();
    await expect
      .poll(() => server.asked.map(({ body }) => body))
      .toEqual([{ rules: ["receiver.audience"] }, { failed: true }, { cases: [CASE] }]);
    server.tell({ type: "judging", cases: [CASE], by: "click" });
    const link = page.getByRole("navigation", { name: "Cases" }).getByRole("link").first();
    await link.getByText("is being judged").waitFor();
    server.fake.detail = (id) => ({ ...detailOf(id), now: "pass", probe: shown({}, 401) });
    server.tell({ type: "judged", case: { ...detailOf(CASE), now: "pass" } });
    server.tell({ type: "idle" });
    await link.getByText("fail → pass").waitFor();
    await page.locator(".about").getByText("fail → pass").waitFor();
    await page.locator(".status").getByText("Judged 1 case: 1 pass.").waitFor();
    expect(await page.locator(".pair tr.differs").allInnerTexts()).toEqual([
      expect.stringContaining("aud"),
      expect.stringContaining("401"),
    ]);
    // The button is another one now, and has the focus of the former.
    await page.keyboard.press("Enter");
    await expect.poll(() => server.asked.length).toBe(4);
    server.tell({ type: "changed" });
    await page.locator(".status").getByText("A file changed.").waitFor();
    server.tell({ type: "idle", problem: "The deployment cannot be reached.", hint: "Start it." });
    await page.locator(".asked").getByText("Start it.").waitFor();
  });

  it("asks before it judges cases that write", async () => {
    const fake: Fake = {
      ...obliging(),
      judge: ({ cases = [], confirmed, readsOnly }) =>
        confirmed || readsOnly ? { is: "started", cases } : { is: "needs-confirmation", cases },
    };
    const { page, server } = await open(fake);
    await page.keyboard.press("r");
    await page.locator(".asked").getByText(CASE).waitFor();
    await page.getByRole("button", { name: "Judge them, writes too" }).click();
    await page.locator(".asked .notice").waitFor({ state: "detached" });
    await expect.poll(() => server.asked.length).toBe(2);
    expect(server.asked.at(-1)?.body).toEqual({ cases: [CASE], confirmed: true });
    await page.getByRole("button", { name: "Judge all that failed again" }).click();
    await page.getByRole("button", { name: "Judge only those that read" }).click();
    await expect.poll(() => server.asked.length).toBe(4);
    expect(server.asked.at(-1)?.body).toEqual({ failed: true, readsOnly: true });
  });

  it("says why nothing can be sent", async () => {
    const { page } = await open({
      ...obliging({ sending: { on: false, because: "There is no profile." } }),
    });
    await page.getByText("There is no profile.").waitFor();
    expect(await page.getByRole("button", { name: "Send", exact: true }).isDisabled()).toBe(true);
    for (const name of ["Judge all", "Judge this case", "Judge this rule"]) {
      expect(await page.getByRole("button", { name }).isDisabled()).toBe(true);
    }
  });

  it("shows cases without a profile, and no form", async () => {
    const because = "There is no profile.";
    const { page } = await open(obliging({ profile: undefined, sending: { on: false, because } }));
    expect(await page.locator(".pair").count()).toBe(1);
    expect(await page.locator("form").count()).toBe(0);
    await page.keyboard.press("e");
  });

  it("runs commands of the profile only after a click, then sends", async () => {
    const commands = [["node", "token.mjs", "--for", "admin"]];
    const { profile } = STATE;
    const fake = obliging({ ...(profile && { profile: { ...profile, commands } }) });
    const { send } = fake;
    fake.send = (request) =>
      fake.state.profile?.commandsAllowed === true
        ? send(request)
        : { is: "needs-commands", commands };
    const { page, server } = await open(fake);
    await page.locator(".setup").getByText("node token.mjs --for admin").waitFor();
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".asked").getByText("node token.mjs --for admin").waitFor();
    expect(server.asked.map(({ path }) => path)).toEqual(["/api/send"]);
    await page.locator(".asked").getByRole("button", { name: "Let these commands run" }).click();
    await page.locator(".answer").waitFor();
    expect(server.asked.map(({ path }) => path)).toEqual(["/api/send", "/api/allow", "/api/send"]);
    expect(await page.locator(".setup").innerText()).toBe("");
  });

  it("says why the server refuses", async () => {
    const fake: Fake = {
      ...obliging(),
      send: () => ({ is: "refused", because: "It is read-only.", hint: "Leave out --read-only." }),
    };
    const { page } = await open(fake);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".asked").getByText("Leave out --read-only.").waitFor();
    expect(await page.locator(".status").innerText()).toBe("It was not sent: It is read-only.");
  });

  it("can be used with the keyboard alone, and shows its keys", async () => {
    const { page, server } = await open(obliging(), { id: "" });
    expect(await page.getByRole("list", { name: "Keys" }).innerText()).toContain("judge it again");
    const focused = (): Promise<string> => page.locator(":focus").innerText();
    await page.keyboard.press("j");
    expect(await focused()).toContain("other@viewOrganization");
    await page.keyboard.press("j");
    expect(await focused()).toContain("other@editOrganization");
    await page.keyboard.press("r");
    await expect.poll(() => server.asked.length).toBe(1);
    expect(server.asked[0]?.body).toEqual({ cases: ["receiver.audience/other@editOrganization"] });
    await page.keyboard.press("k");
    await page.keyboard.press("Enter");
    await page.locator("#case:focus").waitFor();
    await page.keyboard.press("e");
    expect(await page.locator(":focus").getAttribute("id")).toBe("claim-aud");
    // Letters that are typed are no keys of the page.
    await page.keyboard.press("End");
    await page.keyboard.type("jkr/");
    await page.keyboard.press("Control+Enter");
    await page.locator(".answer").waitFor();
    const bodies = server.asked.map(({ body }) => body as SendRequest);
    expect(bodies.at(-1)?.edited).toEqual(withClaims({ aud: "https://other.example.comjkr/" }));
    await page.keyboard.press("Escape");
    await page.keyboard.press("/");
    expect(await page.locator(":focus").getAttribute("type")).toBe("search");
    await page.keyboard.press("Tab");
    expect(await page.evaluate("getComputedStyle(document.activeElement).outlineStyle")).toBe(
      "solid",
    );
  });

  it.each([
    [{ part: "claim", name: "sub", where: "claim sub", probe: "x" }, "claim-sub"],
    [{ part: "claim", name: "roles", where: "claim roles", probe: "x" }, "other-claims"],
    [{ part: "header", name: "typ", where: "header typ", probe: "x" }, "token-header"],
    [{ part: "field", name: "x-more", where: "request header x-more", probe: "x" }, "headers"],
    [{ part: "method", where: "method", probe: "PUT" }, "method"],
    [{ part: "signature", where: "signature", probe: "none" }, "credential"],
    // The form has no body.
    [{ part: "body", where: "body", probe: "{}" }, "path"],
    [undefined, "path"],
  ])("goes with e to what differs: %j", async (difference, field) => {
    const detail: Fake["detail"] = (id) => ({
      ...detailOf(id),
      differences: difference ? [difference] : [],
    });
    const { page } = await open({ ...obliging(), detail });
    await page.keyboard.press("e");
    expect(await page.locator(":focus").getAttribute("id")).toBe(field);
  });

  it("opens, edits and sends each request of a case that rests on many", async () => {
    const { page, server } = await open(obliging());
    const all = page.locator("details.all");
    await all.getByText("All 3 requests of this case").click();
    await all.getByText("GET").nth(1).click();
    const second = all.getByRole("table", { name: "Request 2" });
    expect(await second.innerText()).toContain('aud: "https://other.example.com"');
    await all.getByRole("button", { name: "Edit request 2" }).click();
    expect(await page.getByLabel("Path and query").inputValue()).toBe("/v1/orgs?page=2");
    await page.keyboard.press("Control+Enter");
    await page.locator(".answer").waitFor();
    expect(server.asked[0]?.body).toMatchObject({ edited: { path: "/v1/orgs?page=2" } });
  });

  it("shows as text whatever a target sends", async () => {
    const fake = obliging();
    const { send } = fake;
    const hostile = shown(
      { aud: HOSTILE, [HOSTILE]: HOSTILE },
      200,
      `${HOSTILE}\n${"m".repeat(1e6)}`,
    );
    fake.detail = (id) => ({
      ...detailOf(id),
      title: HOSTILE,
      actual: HOSTILE,
      rule: { ...detailOf(id).rule, title: "\u05D0\u05D1" },
      why: HOSTILE,
      probe: { ...hostile, path: HOSTILE, headers: [[HOSTILE, HOSTILE]] },
    });
    fake.send = (request) => {
      const answer = send(request);
      return answer.is === "sent"
        ? { is: "sent", sent: { ...answer.sent, path: HOSTILE, answer: hostile.answer } }
        : answer;
    };
    const { page } = await open(fake);
    await page.getByRole("button", { name: "Send", exact: true }).click();
    await page.locator(".answer").waitFor();
    await page.getByLabel("Compare no. 1").check();
    for (const place of [".case dl", ".pair", ".answer pre", ".sent tbody"]) {
      expect(await page.locator(place).first().textContent()).toContain(HOSTILE_SHOWN);
    }
    expect(await page.locator("img").count()).toBe(0);
    expect(await page.locator("script").count()).toBe(0);
    expect(await page.evaluate("document.body.textContent.length")).toBeLessThan(200_000);
    expect(await page.locator(".about bdi").innerText()).toBe("\u05D0\u05D1");
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
    await page.locator(".agreement").getByText("No. 2: ").waitFor();
    await page.getByLabel("Compare no. 1").check();
    await page.getByLabel("Compare no. 2").check();
    for (const details of await page.locator("details").all()) {
      await details.evaluate((one) => one.setAttribute("open", ""));
    }
    expect(await violations(page)).toEqual([]);
    expect(await page.evaluate("document.documentElement.scrollWidth")).toBeLessThanOrEqual(width);
  });
});
