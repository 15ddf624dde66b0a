import { afterAll, beforeAll, expect, it } from "vitest";

import { isPrintable } from "../../src/report/untrusted.ts";
import { ask, BELOW, caseOf, opened, stateOf, type World, world } from "./workbench.ts";

let own: World;

beforeAll(async () => {
  own = await world();
});

afterAll(() => own.close());

const JSON_TYPE = { "content-type": "application/json" };

it("answers no request to the API without the cookie, of another origin, or to another Host", async () => {
  const { page, cookie, raw, io } = await opened(own.files);
  const { origin, host, port } = page;
  const body = JSON.stringify({ commands: true });
  const url = new URL("api/allow", page);
  const post = (headers: Record<string, string>): Promise<{ status: number | undefined }> =>
    ask(url, headers, "POST", body);
  const good = { origin, cookie, ...JSON_TYPE };
  expect(await post(good)).toMatchObject({ status: 200 });
  for (const headers of [
    { origin, ...JSON_TYPE },
    { origin, ...JSON_TYPE, cookie: `${cookie}x` },
    { cookie, ...JSON_TYPE },
    { ...good, origin: "http://attacker.test" },
    { ...good, origin: "null" },
    { ...good, origin: `http://localhost:${port}` },
    // After DNS rebinding, the browser takes the page of a stranger for this origin.
    { ...good, host: `attacker.test:${port}`, origin: `http://attacker.test:${port}` },
    { ...good, host: `attacker.test:${port}` },
  ]) {
    expect(await post(headers)).toMatchObject({ status: 403 });
  }
  for (const path of ["api/state", `api/case?id=${BELOW}`, "api/events"]) {
    expect(await ask(new URL(path, page))).toMatchObject({ status: 403 });
    expect(await raw(path, { host: `attacker.test:${port}` })).toMatchObject({ status: 403 });
    expect(await raw(path, { origin: "http://attacker.test" })).toMatchObject({ status: 403 });
  }
  // The link was used; its token opens nothing more, and the API is below the secret path alone.
  const link = new URL(io.out.trim());
  expect(await ask(link)).toMatchObject({ status: 403 });
  expect(await ask(new URL(`http://${host}/api/state`), { cookie })).toMatchObject({ status: 404 });
});

it("takes JSON alone, of a limited size and form", async () => {
  const { page, raw } = await opened(own.files);
  const { origin } = page;
  const post = async (
    body: string,
    headers: Record<string, string> = JSON_TYPE,
  ): Promise<unknown> => (await raw("api/send", { origin, ...headers }, "POST", body)).status;
  const edited = { method: "GET", path: "/", headers: [], credential: { kind: "none" } };
  // These types need no preflight, so that any page could send them.
  for (const type of ["text/plain", "application/x-www-form-urlencoded", "multipart/form-data"]) {
    expect(await post(JSON.stringify({ edited }), { "content-type": type })).toBe(415);
  }
  expect(await post("{")).toBe(400);
  expect(await post('{"edited":1,"edited":2}')).toBe(400);
  expect(
    await post(JSON.stringify({ edited: { ...edited, origin: "http://attacker.test" } })),
  ).toBe(400);
  expect(await post(JSON.stringify({ edited, confirmed: "yes" }))).toBe(400);
  expect(await post(" ".repeat(1024 * 1024 + 1))).toBe(413);
  expect(await post(JSON.stringify({ edited }))).toBe(200);
  const { status, headers } = await raw("api/state", {});
  expect(status).toBe(200);
  expect(headers).toMatchObject({
    "cache-control": "no-store",
    "referrer-policy": "no-referrer",
    "x-content-type-options": "nosniff",
    "content-security-policy": expect.stringMatching(
      /^default-src 'none';.*frame-ancestors 'none'$/,
    ),
  });
});

it("shows a hostile report as text that controls nothing", async () => {
  const evil = "\u001B[2J\u202E\u0000<script>alert(1)</script>\u2028";
  const text = JSON.stringify(own.report);
  const hostile = JSON.parse(text, (name, value: unknown) => {
    const isText = typeof value === "string";
    return isText && ["title", "actual", "reason", "body", "verdictText", "sub"].includes(name)
      ? evil + value
      : value;
  }) as object;
  const files = { ...own.files, "report.json": JSON.stringify(hostile) };
  const page = await opened(files);
  const answers = [await stateOf(page), await caseOf(page)];
  const texts: string[] = [];
  JSON.stringify(answers, (name, value: unknown) => {
    texts.push(name, typeof value === "string" ? value : "");
    return value;
  });
  const odd = texts.flatMap((one) => one.split("\n")).filter((line) => !isPrintable(line));
  expect(odd).toEqual([]);
  expect(texts.join()).toContain("\\u{1b}[2J\\u{202e}");
});
