import { createHash } from "node:crypto";
import { existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";
import { stringify } from "yaml";

import { writeReports } from "../../src/cli/report-files.ts";
import type { Outcome } from "../../src/engine/events.ts";
import type { Report } from "../../src/report/report.ts";
import { reportOf as synthetic, result } from "../report/events.ts";
import { reportProblems } from "../report/schema.ts";
import { type TestIo, command, createIo, ioWith, refusal, reportIn } from "./io.ts";
import { receiver } from "./servers.ts";

const SELECTED = ["--rule", "receiver.audience/*@viewOrganization", "--rule", "errors.shape"];

function casesOf(report: Report, ...outcomes: string[]): string[] {
  return report.rules
    .flatMap(({ cases }) => cases)
    .filter(({ outcome }) => outcomes.length === 0 || outcomes.includes(outcome))
    .map(({ id }) => id);
}

/** A world with a profile, in which others follow with the same reports. */
function world(profile: Record<string, unknown>, cwd?: string): TestIo {
  if (cwd === undefined) return ioWith(profile);
  writeFileSync(join(cwd, "orgsync.yaml"), stringify(profile));
  return Object.assign(createIo(), { cwd });
}

/** A world with the report of a run that had these results. */
function after(...run: Parameters<typeof synthetic>): TestIo {
  return createIo({}, "", { "reports/report.json": JSON.stringify(synthetic(...run)) });
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
    const done = "All that failed or was inconclusive has passed since. Run without --failed";
    expect(mended.err).toContain(done);
    expect(again.err).not.toContain(done);

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
    const { code } = await command(["run", "--failed"], world(profile, io.cwd));
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
    await command(["run", "--failed"], world(profile, io.cwd));
    expect(casesOf(reportIn(io))).toEqual([probe, "errors.shape/viewOrganization"]);
  });

  it("runs of these what --rule matches, and keeps the rest for the next time", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const first = await command(["run", ...SELECTED], world(profile));
    const failed = casesOf(reportIn(first.io), "fail");
    const argv = ["run", "--failed", "--rule", "*/below@viewOrganization"];
    const { code, err, io } = await command(argv, world(profile, first.io.cwd));
    expect(code).toBe(1);
    expect(err).toContain("Cases that no --rule matches stay for the next run with --failed.");
    expect(casesOf(reportIn(io))).toEqual(["receiver.audience/below@viewOrganization"]);
    expect(reportProblems(reportIn(io))).toEqual([]);
    expect(failed.length).toBeGreaterThan(1);
    expect(
      reportIn(io)
        .remaining?.map((one) => one.case)
        .toSorted(),
    ).toEqual(failed.toSorted());
    const none = ["run", "--failed", "--rule", "receiver.scope"];
    const other = await command(none, world(profile, first.io.cwd));
    expect(other.code).toBe(2);
    expect(other.err).toContain("no --rule matches");
  });

  it("plans these cases with --dry-run", async () => {
    const { profile } = await receiver();
    const { cwd } = after([result("hour-ago@viewOrganization")]);
    const { code, out } = await command(["run", "--failed", "--dry-run"], world(profile, cwd));
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
      expect(await refusal(command(["run", "--failed"], after(passed, broken)))).toContain(
        "did not finish",
      );
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
    expect(await refusal(command(["run", "--failed"], io))).toContain(why);
    expect(existsSync(join(io.cwd, "reports/report.json"))).toBe(before);
  });

  it("exits 2 if all of them need a write and writes are not allowed", async () => {
    const { profile } = await receiver({ faults: ["audience-by-prefix"] });
    const needing = result("hour-ago@editOrganization", { operation: "editOrganization" });
    const io = world(profile, after([needing]).cwd);
    expect(await refusal(command(["run", "--failed", "--read-only"], io))).toContain(
      "needs a PATCH or POST",
    );
  });
});

type Extent = "whole" | "reads" | "part" | "interrupted" | "late" | "broken";

/** The report of a run with these outcomes of the cases of `receiver.expiry`. A question mark: two tries disagreed. */
function reportOfRun(extent: Extent, outcomes: string, seed: number): Report {
  const results = outcomes.split(" ").map((text) => {
    const [name = "", outcome = "", unsteady] = text.split(/[:?]/);
    const isFlaky = unsteady === undefined ? {} : { flaky: true };
    const isLate =
      outcome === "late" ? { outcome: "inconclusive", code: "time-limit" } : { outcome };
    return result(name, { ...isFlaky, ...(isLate as { outcome: Outcome }) });
  });
  const report = synthetic(results, {
    interrupted: extent === "interrupted",
    suiteErrors: extent === "broken" ? ["a fault"] : [],
  });
  const { plan } = report;
  return {
    ...report,
    seed,
    plan: {
      ...plan,
      patterns: extent === "part" ? ["receiver.expiry"] : [],
      facts: { ...plan.facts, readOnly: extent === "reads" },
    },
  };
}

/** The report of the last whole run, if it is kept, and whether the page beside it is its own. */
function wholeIn(folder: string): [report: unknown, hasPage: boolean] | undefined {
  const file = join(folder, "whole.json");
  if (!existsSync(file)) return undefined;
  const text = readFileSync(file);
  const page = readFileSync(join(folder, "whole.html"), "utf8");
  return [
    JSON.parse(text.toString()),
    page.includes(createHash("sha256").update(text).digest("hex")),
  ];
}

describe("the work list of a folder", () => {
  it("survives the commands that the report prints, and these work", async () => {
    const broken = await receiver({ faults: ["audience-by-prefix"] });
    const first = await command(["run", broken.baseUrl, ...SELECTED], createIo());
    const left = casesOf(reportIn(first.io), "fail", "inconclusive");
    const [printed = ""] =
      /^ +again +npx --no-install orgsync-conformance (replay .*)$/m
        .exec(first.out.replaceAll(/ \\\n +/g, " "))
        ?.slice(1) ?? [];
    expect(printed).toContain(` ${broken.baseUrl}`);
    const { io } = first;
    expect(
      await command(printed.split(" "), Object.assign(createIo(), { cwd: io.cwd })),
    ).toMatchObject({
      code: 1,
      out: expect.stringContaining("Failed then, and fails now.") as string,
    });
    expect(casesOf(reportIn(io), "fail", "inconclusive")).toEqual(left);

    const part = ["run", broken.baseUrl, "--rule", "receiver.expiry/hour-ago@viewOrganization"];
    expect((await command(part, Object.assign(createIo(), { cwd: io.cwd }))).code).toBe(0);
    expect(reportIn(io).remaining?.map((one) => one.case)).toEqual(left);
  });

  it.each<[string, string, left: string, kept: number | undefined]>([
    ["a whole run", "whole a:fail b:pass c:inconclusive", "a c", undefined],
    ["a part that passes", "whole a:fail b:fail, part a:pass", "b", 1],
    ["a part that fails anew", "whole a:fail b:pass, part b:fail", "a b", 1],
    ["parts of other cases", "whole a:fail, part b:pass, part c:pass", "a", 1],
    ["a part, and its repair", "whole a:fail, part b:fail, part b:pass", "a", 1],
    ["two parts alone", "part a:fail, part b:fail", "a b", undefined],
    ["a part, then a whole", "part a:fail b:fail, whole a:pass b:fail", "b", undefined],
    ["a whole, a part, a whole", "whole a:fail, part b:fail, whole a:pass b:pass", "", undefined],
    ["an interruption", "whole a:fail b:fail, interrupted a:pass", "b", 1],
    ["a time limit", "whole a:fail b:fail, late a:pass b:late", "b", 1],
    ["a fault of the suite", "whole a:fail, broken a:pass", "a", 1],
    ["a flaky failure", "whole a:fail?, part a:pass, part a:pass", "a", 1],
    ["a flaky failure of a part", "whole a:pass, part a:fail?, part a:pass", "a", 1],
    ["a lost profile key", "whole a:fail, part a:not-provisioned", "a", 1],
    ["an operation withdrawn", "whole a:fail b:fail, part a:not-applicable", "b", 1],
    ["a run that only reads", "whole a:fail w:fail, reads a:pass", "w", 1],
    ["it, then a part", "whole a:fail w:fail, reads a:fail, part a:pass", "w", 1],
    ["only runs that read", "reads a:fail, part a:pass b:fail, reads a:pass b:pass", "", undefined],
  ])("after %s", async (_, texts, left, kept) => {
    const runs = texts.split(", ").map((text): [Extent, string] => {
      const at = text.indexOf(" ");
      return [text.slice(0, at) as Extent, text.slice(at + 1)];
    });
    const io = createIo();
    const folder = join(io.cwd, "reports");
    let seed = 0;
    for (const [extent, outcomes] of runs) {
      await writeReports(folder, reportOfRun(extent, outcomes, ++seed), ["html", "junit"]);
    }
    expect(reportProblems(reportIn(io))).toEqual([]);
    expect(reportIn(io).seed).toBe(seed);
    const files = ["report.html", "report.json", "junit.xml"];
    const whole = ["whole.html", "whole.json", "whole.junit.xml"];
    const found = readdirSync(folder).toSorted();
    expect(found).toEqual([...files, ...(kept === undefined ? [] : whole)].toSorted());
    const [extent, outcomes] = runs[(kept ?? 0) - 1] ?? [];
    expect(wholeIn(folder)).toEqual(
      extent && [JSON.parse(JSON.stringify(reportOfRun(extent, outcomes ?? "", kept ?? 0))), true],
    );
    const { err } = await command(["run", "--failed", "--rule", "no.such"], io);
    const names = left === "" ? [] : left.split(" ");
    expect(err).toContain(names.length === 0 ? "Nothing was run" : `${names.length} MUST case`);
    const { rules, remaining } = reportIn(io);
    const unsettled = rules.flatMap(({ cases }) =>
      cases.filter((one) => one.outcome === "fail" || one.outcome === "inconclusive"),
    );
    const own = unsettled.map(({ id }) => id);
    expect((remaining?.map((one) => one.case) ?? own).toSorted()).toEqual(
      names.map((name) => `receiver.expiry/${name}`),
    );
  });
});
