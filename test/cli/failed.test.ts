import { existsSync, mkdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import type { Report } from "../../src/report/report.ts";
import { reportOf as synthetic, result } from "../report/events.ts";
import { reportProblems } from "../report/schema.ts";
import { command, createIo, type TestIo } from "./io.ts";
import { receiver } from "./servers.ts";

const SELECTED = ["--rule", "receiver.audience", "--rule", "errors.shape"];

function reportIn({ cwd }: TestIo): Report {
  return JSON.parse(readFileSync(join(cwd, "reports/report.json"), "utf8")) as Report;
}

function casesOf(report: Report, ...outcomes: string[]): string[] {
  return report.rules
    .flatMap(({ cases }) => cases)
    .filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome))
    .map(({ id }) => id);
}

/** A world with a profile, in which others follow with the same reports. */
function world(profile: Record<string, unknown>, cwd?: string): TestIo {
  const io = createIo();
  if (cwd !== undefined) Object.assign(io, { cwd });
  writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
  return io;
}

/** A world with the report of a run that had these results. */
function after(...run: Parameters<typeof synthetic>): TestIo {
  const io = createIo();
  mkdirSync(join(io.cwd, "reports"));
  writeFileSync(join(io.cwd, "reports/report.json"), JSON.stringify(synthetic(...run)));
  return io;
}

describe("run --failed", () => {
  it("runs the failed cases with the seed of that run, until none fails", async () => {
    const broken = await receiver({ faults: ["audience-by-prefix"] });
    const first = await command(["run", ...SELECTED], world(broken.profile));
    const failed = casesOf(reportIn(first.io), "fail");
    const { seed } = reportIn(first.io);
    expect(failed.length).toBeGreaterThan(1);

    const again = await command(["run", "--failed"], world(broken.profile, first.io.cwd));
    expect(again.code).toBe(1);
    expect(again.err).toContain(`${failed.length} MUST cases to run again`);
    const second = reportIn(again.io);
    expect(reportProblems(second)).toEqual([]);
    expect(casesOf(second)).toEqual(failed);
    expect(second).toMatchObject({ partial: true, seed });
    expect(second.verdictText).toContain("only what failed or was inconclusive last time was run");

    const { profile } = await receiver();
    const mended = await command(["run", "--failed"], world(profile, first.io.cwd));
    expect(mended.code).toBe(0);
    expect(mended.err).toContain(`The report is of ${broken.baseUrl}`);
    expect(casesOf(reportIn(mended.io), "pass")).toEqual(failed);

    const file = join(first.io.cwd, "reports/report.json");
    const written = statSync(file).mtimeMs;
    const nothing = await command(["run", "--failed"], world(profile, first.io.cwd));
    expect(nothing).toMatchObject({ code: 0, out: "" });
    expect(nothing.err).toContain("Nothing was run");
    expect(nothing.err).toContain("Its verdict is partial");
    expect(statSync(file).mtimeMs).toBe(written);
  });

  it("keeps a flaky failure until a whole run has passed it", async () => {
    const { profile } = await receiver();
    const flaky = "receiver.audience/other@viewOrganization";
    const failed = result("other", { id: flaky, rule: "receiver.expiry", flaky: true });
    const io = after([failed, result("hour-ago@viewOrganization")]);
    const again = async (argv: readonly string[] = ["--failed"]) =>
      command(["run", ...argv], world(profile, io.cwd));

    const first = await again();
    expect(first.err).toContain("2 MUST cases to run again");
    expect(first.err).toContain("1 flaky failure included until a whole run has passed.");
    expect(first.code).toBe(0);
    expect(reportProblems(reportIn(io))).toEqual([]);
    expect(reportIn(io)).toMatchObject({ verdict: "partial", carried: [flaky] });
    // It is kept if it is not selected, and if it has passed again.
    for (const rule of ["*/other@viewOrganization", "receiver.audience"]) {
      expect((await again(["--failed", "--rule", rule])).code).toBe(0);
      expect(casesOf(reportIn(io))).toEqual([flaky]);
      expect(reportIn(io).carried).toEqual([flaky]);
    }
    // The report of a whole run in which it passed.
    const whole = synthetic([{ ...failed, outcome: "pass", flaky: undefined }], {
      verdict: "conformant",
    });
    writeFileSync(join(io.cwd, "reports/report.json"), JSON.stringify(whole));
    expect((await again()).err).toContain("Nothing was run");
  });

  it("also runs inconclusive cases, but not warnings or cases that are not provisioned", async () => {
    const { profile } = await receiver();
    const outcomes = ["inconclusive", "warn", "not-provisioned", "pass"] as const;
    const results = outcomes.map((outcome, at) =>
      result(`${["hour-ago", "missing", "null", "lifetime-past"][at]}@viewOrganization`, {
        outcome,
      }),
    );
    const should = result("zero@viewOrganization", { level: "SHOULD", outcome: "inconclusive" });
    const io = after([...results, should]);
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    const { code } = await command(["run", "--failed"], io);
    expect(code).toBe(0);
    expect(casesOf(reportIn(io))).toEqual(["receiver.expiry/hour-ago@viewOrganization"]);
  });

  it("repeats the requests by which a rule about all answers was judged", async () => {
    const { profile } = await receiver();
    const probe = "receiver.audience/other@viewOrganization";
    const io = after(
      [
        result("shape", { id: "errors.shape/viewOrganization", rule: "receiver.expiry" }),
        result("other", { id: probe, rule: "receiver.expiry", outcome: "pass" }),
      ],
      {},
      [{ ...synthetic([result("x")]).exchanges["x2"], id: "x2", caseId: probe } as never],
    );
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    await command(["run", "--failed"], io);
    expect(casesOf(reportIn(io))).toEqual([probe, "errors.shape/viewOrganization"]);
  });

  it("also runs what --rule matches, and says that the next report leaves out the rest", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const first = await command(["run", ...SELECTED], world(profile));
    const argv = ["run", "--failed", "--rule", "*/below@viewOrganization"];
    const { code, err, io } = await command(argv, world(profile, first.io.cwd));
    expect(code).toBe(1);
    expect(err).toContain("Cases that no --rule matches will be missing from the next report.");
    expect(casesOf(reportIn(io))).toEqual(["receiver.audience/below@viewOrganization"]);
    const none = ["run", "--failed", "--rule", "receiver.scope"];
    const other = await command(none, world(profile, first.io.cwd));
    expect(other.code).toBe(2);
    expect(other.err).toContain("no --rule matches");
  });

  it("plans these cases with --dry-run", async () => {
    const { profile } = await receiver();
    const io = after([result("hour-ago@viewOrganization")]);
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    const { code, out } = await command(["run", "--failed", "--dry-run"], io);
    expect(code).toBe(0);
    expect(out).toContain("receiver.expiry/hour-ago@viewOrganization");
    expect(out).toContain("1 case of 1 rule");
  });

  it("does not treat a run that could not judge everything as successful", async () => {
    const verdict = { verdict: "incomplete" } as const;
    const lacking = [result("a", { outcome: "not-provisioned" })];
    expect(await command(["run", "--failed"], after(lacking, verdict))).toMatchObject({ code: 3 });
    const accepted = ["run", "--failed", "--accept-incomplete"];
    expect(await command(accepted, after(lacking, verdict))).toMatchObject({ code: 0 });
    for (const broken of [{ interrupted: true }, { suiteErrors: ["a fault"] }]) {
      const passed = [result("a", { outcome: "pass" })];
      const { code, err } = await command(["run", "--failed"], after(passed, broken));
      expect(code).toBe(2);
      expect(err).toContain("did not finish");
    }
  });

  it.each([
    ["no report", createIo(), "reports/report.json does not exist"],
    [
      "a case that does not exist",
      after([result("gone")]),
      "There is no case receiver.expiry/gone",
    ],
  ])("exits 2 with %s, and writes no report", async (_, io, why) => {
    const before = existsSync(join(io.cwd, "reports/report.json"));
    const { code, err } = await command(["run", "--failed"], io);
    expect(code).toBe(2);
    expect(err).toContain(why);
    expect(existsSync(join(io.cwd, "reports/report.json"))).toBe(before);
  });

  it("exits 2 if all of them need a write and writes are not allowed", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const io = after([result("hour-ago@editOrganization", { operation: "editOrganization" })]);
    writeFileSync(join(io.cwd, "orgsync.yaml"), stringify(profile));
    const { code, err } = await command(["run", "--failed", "--read-only"], io);
    expect(code).toBe(2);
    expect(err).toContain("needs a PATCH or POST");
  });
});
