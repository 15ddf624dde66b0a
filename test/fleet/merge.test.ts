import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

import { describe, expect, it } from "vitest";

import type { Outcome, Verdict } from "../../src/engine/events.ts";
import type { PackReport, Report } from "../../src/report/report.ts";
import { command, createIo, type TestIo } from "../cli/io.ts";
import { reportOf, result, withBaseline } from "../report/events.ts";
import { fleetIn, writeFiles } from "./files.ts";

/** A report of a run with one case. */
function reportWith(outcome: Outcome, verdict: Verdict, more: Partial<Report> = {}): Report {
  return { ...reportOf([result("a@viewOrganization", { outcome })], { verdict }), ...more };
}

/** What a pack found that is violated. */
function violatedPack(): PackReport {
  const {
    schemaVersion: _,
    suite: _suite,
    target: _target,
    seed: _seed,
    ...own
  } = reportWith("fail", "non-conformant");
  return { id: "house", version: "1", title: "House rules", requirements: [], ...own };
}

const REPORTS = {
  conformant: reportWith("pass", "conformant"),
  partial: reportWith("pass", "partial"),
  incomplete: reportWith("inconclusive", "incomplete"),
  "non-conformant": reportWith("fail", "non-conformant"),
  interrupted: reportWith("pass", "incomplete", { interrupted: true }),
  "with faults of the suite": reportWith("pass", "conformant", { suiteErrors: ["a rule threw"] }),
  "with a known failure": withBaseline(reportWith("fail", "non-conformant"), {
    known: [{ case: "receiver.expiry/a@viewOrganization", reason: "until spring" }],
  }),
  "with a pack that is violated": reportWith("pass", "conformant", { packs: [violatedPack()] }),
  "with a stale baseline": withBaseline(reportWith("pass", "conformant"), {
    stale: [{ case: "a", why: "gone" }],
  }),
};
type Kind = keyof typeof REPORTS;

/** A folder with a fleet of runs, called by their names. */
function world(folders: Readonly<Record<string, Readonly<Record<string, Kind | object>>>>): TestIo {
  const io = createIo();
  for (const [folder, runs] of Object.entries(folders)) {
    const entries = Object.entries(runs).map(([name, kind]) => {
      if (typeof kind === "object") return { name, ...kind };
      const report = `runs/${name}/report.json`;
      writeFiles(io.cwd, { [`${folder}/${report}`]: REPORTS[kind] });
      return { name, verdict: REPORTS[kind].verdict, report };
    });
    writeFiles(io.cwd, { [`${folder}/fleet.json`]: { runs: entries } });
  }
  return io;
}

/** The entry of a conformant run in fleet.json. */
function reportedAs(name: string): object {
  return { verdict: "conformant", report: `runs/${name}/report.json` };
}

function page({ cwd }: TestIo, folder = "fleet"): string {
  return readFileSync(join(cwd, folder, "fleet.html"), "utf8");
}

/** What a report says of when and of what it is. */
function at(startedAt: string, baseUrl: string, name?: string): Partial<Report> {
  const deployment = name === undefined ? undefined : { name };
  return { startedAt, target: { ...REPORTS.conformant.target, baseUrl, deployment } };
}

describe("merge --gate", () => {
  it.each<[number, Readonly<Record<string, Kind | object>>]>([
    [0, { a: "conformant", b: "partial", c: "with a known failure" }],
    [3, { a: "conformant", b: "incomplete" }],
    [1, { a: "incomplete", b: "non-conformant" }],
    [1, { a: "incomplete", b: "with a stale baseline" }],
    [1, { a: "incomplete", b: "with a pack that is violated" }],
    [2, { a: "non-conformant", b: { error: "it crashed" } }],
    [2, { a: "non-conformant", b: "with faults of the suite" }],
    [130, { a: { error: "it crashed" }, b: {} }],
    [130, { a: { error: "it crashed" }, b: "interrupted" }],
    [1, { a: { verdict: "non-conformant" }, b: { verdict: "incomplete" } }],
    [0, {}],
  ])("exits %i, with the worst of %j", async (code, runs) => {
    const io = world({ all: runs });
    expect((await command(["merge", "all", "--gate"], io)).code).toBe(code);
    // Without it, it exits 0.
    expect((await command(["merge", "all"], io)).code).toBe(0);
    const accepting = await command(["merge", "all", "--gate", "--accept-incomplete"], io);
    expect(accepting.code).toBe(code === 3 ? 0 : code);
  });
});

describe("merge --require conformant", () => {
  it.each<[number, Readonly<Record<string, Kind | object>>]>([
    [0, { a: "conformant" }],
    [0, { a: "conformant", b: "with a stale baseline" }],
    [3, { a: "conformant", b: "partial" }],
    [3, { a: "incomplete" }],
    [1, { a: "partial", b: "with a known failure" }],
    [1, { a: { verdict: "non-conformant" }, b: { verdict: "partial" } }],
    [3, { a: { verdict: "partial" } }],
    [2, { a: "with a known failure", b: { error: "it crashed" } }],
    [130, { a: "with a known failure", b: "interrupted" }],
  ])("exits %i by the verdicts alone, with %j", async (code, runs) => {
    const io = world({ all: runs });
    for (const further of [[], ["--gate"], ["--accept-incomplete"]]) {
      const { code: seen } = await command(
        ["merge", "all", "--require=conformant", ...further],
        io,
      );
      expect(seen).toBe(code);
    }
  });

  it("says in one line that a baseline does not count", async () => {
    const io = world({ all: { a: "with a known failure" } });
    const { err } = await command(["merge", "all", "--gate", "--require", "conformant"], io);
    expect(err).toBe(
      "The exit code is 1 by --require conformant, which goes by the verdicts alone, and would be 0 without it.\n",
    );
  });

  it("exits 1 for a warning with --fail-on warn", async () => {
    const io = world({ all: { a: reportedAs("warned") } });
    writeFiles(io.cwd, { "all/runs/warned/report.json": reportWith("warn", "conformant") });
    expect((await command(["merge", "all", "--fail-on", "warn"], io)).code).toBe(1);
    expect((await command(["merge", "all", "--gate"], io)).code).toBe(0);
  });
});

describe("merge", () => {
  it("shows the verdict on each pack beside that on the contract, and what changed in it", async () => {
    const mended = {
      ...REPORTS["with a pack that is violated"],
      packs: [{ ...violatedPack(), verdict: "conformant" }],
    };
    const io = world({ before: { a: reportedAs("a"), b: "conformant" } });
    writeFiles(io.cwd, { "before/runs/a/report.json": mended });
    const now = { a: "with a pack that is violated", b: "conformant" } as const;
    for (const [name, kind] of Object.entries(now)) {
      writeFiles(io.cwd, { [`now/${name}/report.json`]: REPORTS[kind] });
    }
    const { code, out } = await command(["merge", "now", "--since", "before"], io);
    expect(code).toBe(0);
    expect(out).toContain("2 runs: 2 conformant\nHouse rules: 1 non-conformant\n");
    expect(out).toMatch(/a +conformant; House rules: conformant, now non-conformant/);
    expect(fleetIn(io.cwd, "fleet").runs[0]).toMatchObject({
      name: "a",
      verdict: "conformant",
      packs: [{ id: "house", version: "1", title: "House rules", verdict: "non-conformant" }],
    });
    expect(fleetIn(io.cwd, "fleet").runs[1]).not.toHaveProperty("packs");
    expect(page(io).replaceAll(/<[^>]+>/g, " ")).toMatch(/House rules:\s+✕\s+Not conformant/);
  });

  it("takes several reports of one deployment for its history, as far as it can be recognised", async () => {
    const io = createIo();
    const [one, local] = ["https://one.example", "http://127.0.0.1:8080"];
    writeFiles(io.cwd, {
      "new/report.json": reportWith("pass", "conformant", at("2025-02-02T00:00:00Z", one, "acme")),
      "old/report.json": reportWith(
        "fail",
        "non-conformant",
        at("2025-01-01T00:00:00Z", one, "acme"),
      ),
      "here/report.json": reportWith("pass", "conformant", at("2025-02-02T00:00:00Z", local)),
      "there/report.json": reportWith("pass", "conformant", at("2025-01-01T00:00:00Z", local)),
    });
    const merged = await command(["merge", "old", "new", "here", "there"], io);
    expect(merged.out).toMatch(/^3 runs: 3 conformant\n1 older report of the same deployments/);
    expect(page(io)).toContain("1 → 0 failed");
    expect((await command(["merge", "fleet", "--out", "again"], io)).out).toContain("1 older");
    expect(page(io, "again")).toContain("1 → 0 failed");
    expect((await command(["merge", "fleet", "--gate"], io)).code).toBe(1);
  });

  it("writes a self-contained folder that can be merged again", async () => {
    const io = world({ one: { b: "partial" }, two: { a: "conformant", c: { error: "x" } } });
    const { out } = await command(["merge", "two", "one", "--out=all"], io);
    expect(out).toBe(
      "3 runs: 1 error, 1 partial, 1 conformant\nResults: all/fleet.json, all/fleet.html\n",
    );
    const text = readFileSync(join(io.cwd, "all/fleet.json"), "utf8");
    expect(fleetIn(io.cwd, "all").runs).toEqual([
      { name: "a", verdict: "conformant", report: "runs/a/report.json" },
      { name: "b", verdict: "partial", report: "runs/b/report.json" },
      { name: "c", error: "x" },
    ]);
    for (const name of ["a", "b"]) {
      expect(existsSync(join(io.cwd, `all/runs/${name}/report.json`))).toBe(true);
    }
    for (const out2 of ["again", "all"]) {
      await command(["merge", "all", `--out=${out2}`], io);
      expect(readFileSync(join(io.cwd, out2, "fleet.json"), "utf8")).toBe(text);
    }
  });

  it("accepts a folder of folders, a report, and the folder of a report", async () => {
    const io = world({ "shards/1": { a: "partial" }, "shards/2": { b: "partial" } });
    writeFiles(io.cwd, {
      "c/report.json": REPORTS.conformant,
      "d/report.json": REPORTS.conformant,
      "e.json": REPORTS.conformant,
    });
    writeFiles(io.cwd, { "f.json": "{" });
    await command(["merge", "shards", "c", "d/report.json", "e.json", "f.json"], io);
    const { runs } = fleetIn(io.cwd, "fleet");
    const results = runs.map(({ name, verdict = "error" }) => `${name} ${verdict}`);
    expect(results).toEqual([
      "a partial",
      "b partial",
      "c conformant",
      "d conformant",
      "e conformant",
      "f error",
    ]);
  });

  it("lists what a missing shard would have run", async () => {
    const io = world({ one: { a: "conformant" } });
    const shard = { number: 1, of: 3, others: ["b", "c"] };
    const { runs } = fleetIn(io.cwd, "one");
    writeFiles(io.cwd, { "one/fleet.json": { runs, shard } });
    const { code, out } = await command(["merge", "one", "--gate"], io);
    expect([code, out]).toEqual([130, expect.stringContaining("2 unfinished") as string]);
    expect(fleetIn(io.cwd, "fleet").runs.slice(1)).toEqual([{ name: "b" }, { name: "c" }]);
  });

  it("does not trust a verdict whose report is missing, invalid or different", async () => {
    const gone = { verdict: "conformant", report: "runs/none/report.json" };
    const none = { verdict: "conformant", report: "runs/none.json" };
    const odd = { verdict: "conformant", report: "runs/odd.json" };
    const io = world({ all: { gone, none, odd, other: "non-conformant" } });
    writeFiles(io.cwd, {
      "all/runs/none.json": {},
      "all/runs/odd.json": { ...REPORTS.conformant, verdict: "superb" },
      "all/runs/other/report.json": REPORTS.incomplete,
    });
    await command(["merge", "all"], io);
    expect(fleetIn(io.cwd, "fleet").runs).toEqual([
      { name: "gone", error: expect.stringContaining("does not exist") as string },
      { name: "none", error: expect.stringContaining("is not a report") as string },
      { name: "odd", error: "its verdict, superb, is unknown" },
      { name: "other", verdict: "incomplete", report: "runs/other/report.json" },
    ]);
  });

  it.each([
    [["none"], "none does not exist"],
    [["empty"], "empty holds neither fleet.json nor report.json"],
    [["one", "two"], "There are two results of a: in one and in two"],
    [["one/fleet.json", "one"], "There are two results of a"],
    [["outside"], "outside is not a fleet.json: runs.0.name"],
    [["one", "--since=none.json"], "none.json does not exist"],
  ])("%j exits 2 and says why", async (args, why) => {
    const io = world({ one: { a: "partial" }, two: { a: "partial" } });
    writeFiles(io.cwd, {
      "empty/x": "",
      "outside/fleet.json": { runs: [{ name: "../../x", verdict: "partial" }] },
    });
    const { code, err } = await command(["merge", ...args], io);
    expect([code, err]).toEqual([2, expect.stringContaining(why) as string]);
  });
});

describe("merge --since", () => {
  it("reports changed verdicts and rules, new runs and missing runs", async () => {
    const io = world({
      before: { better: "non-conformant", same: "partial", gone: "partial", down: "partial" },
      now: { better: "conformant", same: "partial", fresh: "partial", down: { error: "x" } },
    });
    const { out } = await command(["merge", "now", "--since=before/fleet.json"], io);
    expect(out).toContain("Since then: 4 changed, 1 unchanged.");
    expect(out).toMatch(/better +non-conformant, now conformant; 1 rule with another outcome/);
    expect(out).toMatch(/down +partial, now error\n/);
    expect(out).toMatch(/fresh +new: partial\n/);
    expect(out).toMatch(/gone +gone\n/);
    const shown = page(io);
    expect(shown).toContain("<code>receiver.expiry</code> fail → pass");
    // Only --since uses the earlier results; the merged result does not contain them.
    expect(fleetIn(io.cwd, "fleet").runs.map(({ name }) => name)).not.toContain("gone");
  });

  it("reads the earlier results before it writes to the same folder", async () => {
    const io = world({ fleet: { a: "non-conformant" }, now: { a: "conformant" } });
    const { out } = await command(["merge", "now", "--since=fleet/fleet.json"], io);
    expect(out).toMatch(/a +non-conformant, now conformant; 1 rule/);
  });

  it("reports that the suite changed, which may be the cause", async () => {
    const io = world({ before: { a: "partial" }, now: { a: "partial" } });
    const suite = { name: "orgsync-conformance", version: "0.0.9", requirements: "0.9.0" };
    writeFiles(io.cwd, { "before/runs/a/report.json": { ...REPORTS.partial, suite } });
    const { out } = await command(["merge", "now", "--since=before"], io);
    expect(out).toContain(
      "The suite changed: 0.0.9, rule set 0.9.0 then, 0.1.0, rule set 1.0.0 now",
    );
    expect(page(io)).toContain("The suite changed");
  });
});
