import { describe, expect, it } from "vitest";

import type { CaseResult } from "../../src/engine/events.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { compareWithBaseline, verdictBeside } from "../../src/report/baseline.ts";
import { reportOf, result } from "./events.ts";

const TORN = "receiver.expiry/a@viewOrganization";

describe("a case whose two tries disagree", () => {
  const report = reportOf([
    result("a@viewOrganization", {
      outcome: "inconclusive",
      flaky: true,
      reason: phrase`two tries disagreed`,
    }),
  ]);
  const beside = (flaky: boolean): ReturnType<typeof verdictBeside> => {
    const entries = [{ case: TORN, reason: "a race", flaky }];
    return verdictBeside(report, compareWithBaseline("known.yaml", entries, report, [TORN]));
  };

  it("is allowed only by a flaky entry", () => {
    expect(beside(true)).not.toBe("incomplete");
    expect(beside(false)).toBe("incomplete");
  });
});

describe("a failure that a baseline allows", () => {
  const [known, other] = ["receiver.scope/missing@editOrganization", "receiver.binding/empty@x"];
  const scope = "receiver.scope";

  it.each<[string, Partial<CaseResult>, Partial<CaseResult>, string]>([
    ["what is blamed on it", {}, { blamedOn: scope }, "conformant"],
    ["not what is blamed on another rule", {}, { blamedOn: "receiver.issuer" }, "incomplete"],
    ["what found no more writes", {}, { code: "write-limit" }, "conformant"],
    [
      "not what found no more writes, where it writes nothing",
      { operation: "viewOrganization" },
      { code: "write-limit" },
      "incomplete",
    ],
  ])("explains %s", (_what, failure, open, verdict) => {
    const report = reportOf([
      result("", { id: known, operation: "editOrganization", ...failure }),
      result("", { id: other, outcome: "inconclusive", ...open }),
    ]);
    const note = compareWithBaseline("known.yaml", [{ case: known, reason: "known" }], report, [
      known,
      other,
    ]);
    expect(verdictBeside(report, note)).toBe(verdict);
  });
});
