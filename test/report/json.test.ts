import { describe, expect, it } from "vitest";

import { OUTCOMES } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { reportFrom, reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { eventsOf, exchange, reportOf, result } from "./events.ts";
import { realRun } from "./real-run.ts";
import { reportProblems } from "./schema.ts";

describe("report.json", () => {
  it("is valid for a run with failures, inconclusive cases, missing keys and observations", async () => {
    const text = JSON.stringify(await realRun());
    const report = JSON.parse(text) as Report;
    expect(reportProblems(report)).toEqual([]);
    expect(reportJson(report)).toBe(`${JSON.stringify(report, null, 1)}\n`);
    const outcomes = new Set(report.rules.flatMap(({ cases }) => cases.map((one) => one.outcome)));
    expect([...outcomes]).toEqual(
      expect.arrayContaining(["fail", "not-provisioned", "pass", "observed"]),
    );
    expect(text).not.toContain("eyJ");
  });

  it("counts every level and every outcome, including zeros", () => {
    const { counts } = reportOf([
      result("a"),
      result("b", { outcome: "pass" }),
      result("c", { outcome: "pass" }),
      result("d", { outcome: "warn", level: "SHOULD" }),
    ]);
    const zeros = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));
    expect(counts).toEqual({
      MUST: { ...zeros, fail: 1, pass: 2 },
      SHOULD: { ...zeros, warn: 1 },
      OBSERVE: zeros,
    });
  });

  it("names the operation and the client that a case is about", () => {
    const { rules } = reportOf([
      result("a", { operation: "readChange" }),
      result("b", { client: "web" }),
    ]);
    const [a, b] = rules.flatMap(({ cases }) => cases);
    expect([a?.operation, a?.client, b?.client]).toEqual(["readChange", undefined, "web"]);
  });

  it("gives a rule the worst outcome of its cases", () => {
    const { rules } = reportOf([
      result("a", { outcome: "warn" }),
      result("b", { outcome: "inconclusive" }),
    ]);
    expect(rules.map(({ outcome }) => outcome)).toEqual(["inconclusive"]);
    expect(reportOf([]).rules[0]?.outcome).toBe("not-applicable");
  });

  it("keeps the exchanges that evidence names, in that order, then the few others of a case", () => {
    const many = Array.from({ length: 20 }, (_, at) =>
      exchange(`m${at}`, { caseId: "receiver.expiry/another@viewOrganization" }),
    );
    const exchanges = [
      ...["x1", "x2", "x3", "x10"].map((id) => exchange(id)),
      exchange("c1", { caseId: "control/viewOrganization" }),
      ...many,
    ];
    const evidence = { probes: ["x10"], controls: ["x2", "x1"] };
    const report = reportOf([result("a", { evidence })], {}, exchanges);
    expect(Object.keys(report.exchanges)).toEqual(["x10", "x2", "x1", "x3"]);
  });

  it("has its members in the same order whatever their values", () => {
    const one = reportOf([result("a")]);
    const other = reportOf([result("b", { outcome: "pass", reason: phrase`x` })], {
      interrupted: true,
    });
    expect(Object.keys(one)).toEqual(Object.keys(other));
    expect(Object.keys(one).slice(0, 2)).toEqual(["schemaVersion", "verdict"]);
    expect(Object.keys(one.rules[0]?.cases[0] ?? {})).toEqual(
      Object.keys(other.rules[0]?.cases[0] ?? {}),
    );
  });

  it("is partial if there is a reason", () => {
    expect(reportOf([])).toMatchObject({ partial: false, partialBecause: [] });
    expect(reportOf([], { partialBecause: ["x"] })).toMatchObject({ partial: true });
  });

  it("does not exist before the run has ended", () => {
    expect(() => reportFrom(eventsOf([]).slice(0, -1))).toThrow("the run has not ended yet");
  });
});
