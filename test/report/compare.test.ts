import { describe, expect, it } from "vitest";

import type { CaseResult } from "../../src/engine/events.ts";
import { phrase, tallyFact } from "../../src/probe/phrase.ts";
import { type Comparison, compareReports } from "../../src/report/compare.ts";
import { comparisonPage } from "../../src/report/comparison-page.ts";
import { createPage } from "../../src/report/layout.ts";
import type { Report } from "../../src/report/report.ts";
import { storedReport } from "../../src/report/stored.ts";
import { reportOf, result } from "./events.ts";

/** How often each value was seen. */
type Tally = Readonly<Record<string, number>>;

function report(
  seen: Readonly<Record<string, string | Tally>>,
  more: Partial<Report> = {},
  results: readonly CaseResult[] = [result("a@viewOrganization", { outcome: "pass" })],
): Report {
  const observations = Object.entries(seen).map(([id, value]) => ({
    id,
    title: `title of ${id}`,
    value:
      typeof value === "string"
        ? phrase`${value}`
        : phrase`${tallyFact(new Map(Object.entries(value)))}`,
  }));
  return { ...reportOf(results, { observations }), ...more };
}

function at(baseUrl: string): Partial<Report> {
  return { target: { ...reportOf([]).target, baseUrl } };
}

function compared(...reports: Report[]): Comparison {
  const stored = reports.map(storedReport).filter((one) => typeof one !== "string");
  return compareReports(
    reports.map((_, index) => `${index}.json`),
    stored,
  );
}

function text(...reports: Report[]): string {
  return comparisonPage(createPage(100, false), compared(...reports)).join("\n");
}

function four(outcome: "pass" | "fail"): Report {
  return report(
    {},
    {},
    ["a", "b", "c", "d"].map((id) => result(id, { outcome })),
  );
}

describe("deployments side by side", () => {
  it("shows their differences, and counts the rest", () => {
    const page = text(
      report({ a: "200 OK", b: "none" }, at("https://a.example")),
      report({ a: "404 Not Found", b: "none" }, at("https://b.example")),
    );
    expect(page).toMatch(/#1 +non-conformant .* https:\/\/a\.example \(0\.json\)/);
    expect(page).toMatch(/^ {2}title of a +200 OK +404 Not Found$/m);
    expect(page).not.toContain("title of b");
    expect(page).toContain("1 outcome, 1 observation.");
    expect(page).toContain("They differ in 1 thing that the contract leaves open");
  });

  it("compares values, not their number or order", () => {
    const once = report({ a: { 400: 2, 401: 1 }, b: { "objects of x, y": 3 } });
    const often = report({ a: { 401: 9, 400: 8 }, b: { "objects of x, z": 3 } });
    expect(compared(once, often).observations).toEqual([
      { id: "b", title: "title of b", values: ["objects of x, y", "objects of x, z"] },
    ]);
  });

  it("shows what only one has in its answers, but not cases that one did not try", () => {
    const { observations, equal } = compared(
      report({ "header.version": { v1: 1 }, "rule.one/case@viewOrganization": "200 OK" }),
      report({}),
    );
    expect(observations.map(({ id, values }) => [id, values])).toEqual([
      ["header.version", ["v1", null]],
    ]);
    expect(equal.observations).toBe(0);
  });

  it("names the operation of a case whose title does not", () => {
    const id = "receiver.expiry/a@readChange";
    const about = { outcome: "observed", operation: "readChange" } as const;
    const titled = (title: string, seen: string): Report =>
      report({}, { observations: [{ id, title, value: seen }] }, [result("a@readChange", about)]);
    const page = (title: string): string => text(titled(title, "200"), titled(title, "404"));
    expect(page("the answer")).toMatch(/^ {2}the answer @readChange +200 +404$/m);
    expect(page("readChange answers")).toMatch(/^ {2}readChange answers +200 +404$/m);
  });

  it("stacks values that do not fit side by side, and escapes what could steer a terminal", () => {
    const page = text(report({ a: "x".repeat(60) }), report({ a: "\u001b[2J" }));
    expect(page).toContain(`\n    #1  ${"x".repeat(60)}\n    #2  \\u{1b}[2J\n`);
    expect(page.split("\n").filter((line) => line.length > 100)).toEqual([]);
  });
});

describe("two runs of one deployment", () => {
  const passed = report({}, { seed: 7 });
  const failed = report({}, { seed: 7 }, [result("a@viewOrganization", { flaky: true })]);

  it("blames the target if suite, profile and seed are the same", () => {
    const page = text(passed, failed);
    expect(page).toContain("Runs of http://127.0.0.1:8080/base");
    expect(page).toMatch(/receiver\.expiry\/a@viewOrganization +pass +fail, flaky$/m);
    expect(page).toMatch(/so is the seed, so the\s+target\s+changed\./);
  });

  it("says which seed to repeat if only the seed differs", () => {
    const page = text(passed, { ...failed, seed: 8 });
    expect(page).toMatch(/^ {2}seed +7 +8$/m);
    expect(page).toContain("`--seed 7`");
  });

  const { suite, target } = passed;
  it.each<[string, Partial<Report>, string]>([
    ["suite version", { suite: { ...suite, version: "9.0.0" } }, "the suite"],
    ["rule set", { suite: { ...suite, requirements: "9.0.0" } }, "the suite"],
    ["audience", { target: { ...target, audience: "other" } }, "the profile"],
    ["read-only", { target: { ...target, readOnly: true } }, "the profile"],
    ["interrupted", { interrupted: true }, "how far the run got"],
  ])("does not blame only the target if %s differs", (title, more, who) => {
    const page = text(passed, { ...failed, ...more });
    expect(page).toMatch(new RegExp(`^ +${title} `, "m"));
    expect(page).toContain(`The runs differ in ${who}`);
    expect(page).not.toContain("Suite and profile are the same");
  });

  it("takes other cases or missing keys for another profile, and other cases of another version for another suite", () => {
    const lacking = result("a@viewOrganization", {
      outcome: "not-provisioned",
      missing: ["denied.organization"],
    });
    const other = report({}, { seed: 7 }, [lacking, result("b@viewOrganization")]);
    expect(compared(passed, other).given).toEqual([
      {
        of: "profile",
        id: "profile.missing-keys",
        title: "missing keys",
        values: ["none", "denied.organization"],
      },
      {
        of: "profile",
        id: "profile.cases",
        title: "cases",
        values: ["1", "2, 1 not in every run"],
      },
    ]);
    const newer = { ...other, suite: { ...suite, version: "9.0.0" } };
    expect(compared(passed, newer).given.map(({ id }) => id)).toContain("suite.cases");
  });

  it("combines cases of a rule that changed in the same way, and says when nothing changed", () => {
    expect(text(four("pass"), four("fail"))).toMatch(/receiver\.expiry \(4 cases\) +pass +fail$/m);
    expect(text(passed, passed)).toMatch(/\nNothing changed\.$/);
  });
});
