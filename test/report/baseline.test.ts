import { describe, expect, it } from "vitest";

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

describe("a failure at the authorization server that a baseline allows", () => {
  const claims = "authorization-server.claims";
  const known = `${claims}/format@service`;
  const blamed = "authorization-server.accepted/service@viewOrganization";
  const beside = (client: string): ReturnType<typeof verdictBeside> => {
    const report = reportOf([
      result("", { id: known, operation: undefined, client: "service" }),
      result("", { id: blamed, outcome: "inconclusive", client, blamedOn: claims }),
    ]);
    const entries = [{ case: known, reason: "known" }];
    return verdictBeside(
      report,
      compareWithBaseline("known.yaml", entries, report, [known, blamed]),
    );
  };

  it("allows the cases of its client that are blamed on it, whatever their operation", () => {
    expect(beside("service")).toBe("conformant");
    expect(beside("consent")).toBe("incomplete");
  });
});
