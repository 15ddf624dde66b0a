import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { command, createIo, refusal } from "../cli/io.ts";
import { receiver } from "../cli/servers.ts";
import { BELOW, caseOf, opened, stateOf, withProfile, type World, world } from "./workbench.ts";

let own: World;

beforeAll(async () => {
  own = await world();
});

afterAll(() => own.close());

const isIdle = ({ type }: Record<string, unknown>): boolean => type === "idle";

describe("judging again", () => {
  it("judges a case that a fixed receiver passes now, and shows the new evidence", async () => {
    const { profile } = await receiver();
    const page = await opened({ ...own.files, "orgsync.yaml": stringify(profile) });
    const heard = page.until(isIdle);
    expect(await page.post("api/judge", { cases: [BELOW] })).toEqual({
      is: "started",
      cases: [BELOW],
    });
    const events = await heard;
    expect(events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["hello", "judging", "judged", "idle"]),
    );
    expect(events.findLast(({ type }) => type === "judged")).toMatchObject({
      case: { id: BELOW, outcome: "fail", now: "pass" },
    });
    const { now, probe } = await caseOf(page);
    expect([now, probe?.answer]).toMatchObject(["pass", { status: 401 }]);
    const states = (await stateOf(page)).rules.flatMap(({ cases }) => cases);
    expect(states.find(({ id }) => id === BELOW)).toMatchObject({ outcome: "fail", now: "pass" });
  });

  it("asks before cases that write, and leaves them out where only reads are wanted", async () => {
    const page = await opened(own.files);
    const asked = { failed: true } as const;
    const writing = expect.arrayContaining([
      "receiver.audience/organization-url@submitChange",
    ]) as unknown;
    expect(await page.post("api/judge", asked)).toMatchObject({
      is: "needs-confirmation",
      cases: writing,
    });
    const heard = page.until(isIdle);
    expect(await page.post("api/judge", { ...asked, readsOnly: true })).toMatchObject({
      is: "started",
      cases: expect.not.arrayContaining(["receiver.audience/organization-url@submitChange"]),
    });
    expect(await page.post("api/judge", asked)).toMatchObject({ is: "refused" });
    const judged = (await heard).flatMap(({ type, case: one }) => (type === "judged" ? [one] : []));
    expect(judged).toContainEqual(expect.objectContaining({ id: BELOW, now: "fail" }));
    expect(JSON.stringify(judged)).not.toMatch(/@(?:editOrganization|submitChange)/);
  });

  it("says why it has no results where nothing answers", async () => {
    const files = withProfile(own, { baseUrl: "http://127.0.0.1:9/base" });
    const page = await opened(files);
    const heard = page.until(isIdle);
    await page.post("api/judge", { cases: [BELOW] });
    expect((await heard).at(-1)).toMatchObject({
      problem: expect.stringContaining("cannot be reached"),
    });
  });

  it("refuses a case that the report does not have", async () => {
    const page = await opened(own.files);
    const headers = { origin: page.page.origin, "content-type": "application/json" };
    const body = JSON.stringify({ cases: ["receiver.audience/none"] });
    expect(await page.raw("api/judge", headers, "POST", body)).toMatchObject({ status: 404 });
  });
});

describe("--watch", () => {
  it("judges the reads that failed when a file changes", async () => {
    const page = await opened(own.files, "--watch", ".");
    expect((await stateOf(page)).watching).toEqual({ folder: ".", writes: false });
    const heard = page.until(isIdle);
    writeFileSync(join(page.io.cwd, "receiver.ts"), "fixed");
    const events = await heard;
    expect(events.find(({ type }) => type === "judging")).toMatchObject({ by: "watch" });
    const judged = JSON.stringify(events.filter(({ type }) => type === "judged"));
    expect(judged).toContain(BELOW);
    expect(judged).not.toMatch(/@(?:editOrganization|submitChange)/);
  });

  it.each([
    [["--watch-writes"], "--watch-writes has no meaning without --watch"],
    [["--watch", "gone"], "--watch gone: there is no such folder"],
  ])("exits 2 for %j", async (flags, why) => {
    const io = createIo({}, "", own.files);
    expect(await refusal(command(["open", "report.json", "--no-browser", ...flags], io))).toContain(
      why,
    );
  });
});
