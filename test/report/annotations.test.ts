import { describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { annotations } from "../../src/report/annotations.ts";
import type { Report } from "../../src/report/report.ts";
import { reportOf, result, withBaseline } from "./events.ts";
import { hostileReport } from "./hostile.ts";

function lines(report: Report): string[] {
  return annotations(report).split("\n").slice(0, -1);
}

describe("annotations", () => {
  it("are errors for failed rules, and warnings for violated advice", () => {
    const report = reportOf([
      result("a"),
      result("b"),
      result("c", { outcome: "warn", level: "SHOULD", actual: phrase`50% of it, say: 200` }),
    ]);
    expect(lines(report)).toEqual([
      '::error title=receiver.expiry%3A 2 of 3 cases::Does not hold: "An expired token is rejected"%0Atried: `exp` passed an hour ago%0Aexpected: the request is rejected with a 4xx%0Aactual: 200 OK%0Adiffers: claim exp: 2 -> 1%0Acases: a, b',
      '::warning title=receiver.expiry%3A 1 of 3 cases::Does not hold: "An expired token is rejected"%0Atried: `exp` passed an hour ago%0Aexpected: the request is rejected with a 4xx%0Aactual: 50%25 of it, say: 200%0Adiffers: claim exp: 2 -> 1%0Acases: c',
    ]);
  });

  it("say which fault the failures of a rule resemble", () => {
    const diagnosis = { fault: "f", rule: "receiver.expiry", behaves: "ignores `exp`", look: "x" };
    const elsewhere = { ...diagnosis, rule: "receiver.scope", behaves: "is another" };
    const [line] = lines(reportOf([result("a")], { diagnoses: [diagnosis, elsewhere] }));
    expect(line).toContain('rejected"%0Alooks like a receiver that ignores `exp`%0Atried: ');
    expect(line).not.toContain("is another");
  });

  it("say why a run is incomplete, and what is wrong with the set-up", () => {
    const report = reportOf([], {
      verdict: "incomplete",
      verdictText: "Incomplete: 3 cases",
      setup: [{ problem: "Nobody knows the key.", remedy: "Tell them." }],
    });
    expect(lines(report)).toEqual([
      "::warning title=Set-up::Nobody knows the key.%0ATell them.",
      "::warning title=Incomplete::Incomplete: 3 cases",
    ]);
  });

  it("omit known failures, but not entries that must be removed from the baseline", () => {
    const known = [{ case: "receiver.expiry/a", reason: "ticket 7" }];
    const stale = [{ case: "receiver.expiry/b", why: "fails no more" }];
    expect(lines(withBaseline(reportOf([result("a")]), { known, stale }))).toEqual([
      "::error title=known.yaml%3A receiver.expiry/b::receiver.expiry/b fails no more",
    ]);
  });

  it("are at most ten of a level, and the last one counts the rest", () => {
    const suiteErrors = Array.from({ length: 25 }, (_, index) => `fault ${index}`);
    const errors = lines(reportOf([], { suiteErrors }));
    expect(errors).toHaveLength(10);
    expect(errors[9]).toBe(
      "::error title=16 more::The summary of the job and report.json have them all.",
    );
    expect(lines(reportOf([], { suiteErrors: suiteErrors.slice(0, 10) }))[9]).toContain("fault 9");
  });

  it("are one line each, whatever a target sends", () => {
    const all = lines(hostileReport());
    expect(all).toHaveLength(20);
    expect(
      all.filter((line) => !/^::(error|warning) title=[^:,\p{C}]+::\P{C}+$/u.test(line)),
    ).toEqual([]);
  });
});
