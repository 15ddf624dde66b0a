import { writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Comparison } from "../../src/report/compare.ts";
import { reportOf, result } from "../report/events.ts";
import { type TestIo, command, createIo, refusal } from "./io.ts";
import { receiver } from "./servers.ts";

function folder(files: Readonly<Record<string, string>>): TestIo {
  return createIo({}, "", files);
}

const REPORT = JSON.stringify(reportOf([result("a@viewOrganization")]));
const BETTER = JSON.stringify(reportOf([result("a@viewOrganization", { outcome: "pass" })]));

describe("compare", () => {
  it("exits 0 whether or not the reports differ", async () => {
    const files = { "a.json": REPORT, "b.json": BETTER };
    const unlike = await command(["compare", "a.json", "b.json"], folder(files));
    expect(unlike).toMatchObject({ code: 0, err: "" });
    expect(unlike.out).toContain("so the target");
    const same = await command(["compare", "a.json", "a.json"], folder(files));
    expect(same).toMatchObject({ code: 0, err: "" });
    expect(same.out).toContain("Nothing changed.");
  });

  it("detects any difference between the profiles", async () => {
    const { profile } = await receiver();
    const io = folder({ "orgsync.yaml": JSON.stringify(profile) });
    const run = (out: string): ReturnType<typeof command> =>
      command(["run", "-o", out, "--rule", "receiver.keys"], io);
    await run("before");
    await run("again");
    const changed = { ...profile, request: { timeoutMs: 9000 } };
    writeFileSync(join(io.cwd, "orgsync.yaml"), JSON.stringify(changed));
    await run("after");
    const given = async (one: string, two: string): Promise<string[]> => {
      const files = [one, two].map((name) => join(io.cwd, name, "report.json"));
      const { out } = await command(["compare", "--json", ...files]);
      return (JSON.parse(out) as Comparison).given.map(({ id }) => id);
    };
    expect(await given("before", "again")).not.toContain("profile.digest-of-the-rest");
    expect(await given("before", "after")).toContain("profile.digest-of-the-rest");
  });

  it("prints the same as JSON, with the ids of all cases", async () => {
    const io = folder({ "a.json": REPORT, "b.json": BETTER });
    const { out } = await command(["compare", "--json", "a.json", "b.json"], io);
    const comparison = JSON.parse(out) as Comparison;
    expect(comparison.sameTarget).toBe(true);
    expect(comparison.runs.map(({ file }) => file)).toEqual(["a.json", "b.json"]);
    expect(comparison.outcomes.map(({ id, values }) => [id, values])).toEqual([
      ["receiver.expiry/a@viewOrganization", ["fail", "pass"]],
    ]);
  });

  it.each([
    ["without a second one", ["a.json"], "name two reports or more"],
    ["that does not exist", ["a.json", "none.json"], "none.json does not exist"],
    ["that is a folder", ["a.json", "."], ". is a folder"],
    ["that is not JSON", ["a.json", "text.json"], "text.json is not JSON"],
    ["that is not a report", ["a.json", "other.json"], "other.json is not a report"],
    ["of a later format", ["a.json", "later.json"], "schemaVersion: must be 1.x or 2.x"],
    ["that lacks cases", ["a.json", "holed.json"], "holed.json is not a report"],
  ])("refuses a file %s", async (_, files, why) => {
    const io = folder({
      "a.json": REPORT,
      "text.json": "\u001b[2Jverdict: conformant",
      "other.json": "[]",
      "later.json": REPORT.replace('"schemaVersion":"2.1"', '"schemaVersion":"3.0"'),
      "holed.json": REPORT.replace('"cases":', '"tests":'),
    });
    const err = await refusal(command(["compare", ...files], io));
    expect(err).toContain(why);
    expect(err).not.toContain("\u001b[2J");
  });
});
