import { expect, test } from "vitest";

import { reportJson } from "../../src/report/json.ts";
import type { Report } from "../../src/report/report.ts";
import { verifyReport } from "../../src/verify/verify.ts";
import { RULES } from "../../suites/index.ts";
import { exploreReference } from "./support.ts";

const ONLY = { only: true } as const;

test("a violation that exploration finds is a case of the rule that owns the check, as small as it gets", async () => {
  const { report, found } = await exploreReference(
    { faults: ["audience-unchecked"] },
    { explore: { ...ONLY, requests: 300 } },
  );
  expect(found).toHaveLength(1);
  expect(found[0]).toMatchObject({
    id: expect.stringMatching(/^receiver\.audience\/explored-1-\d+(\.\d+)*$/),
    level: "MUST",
    outcome: "fail",
    explored: true,
    operation: "viewOrganization",
    requirement: expect.stringContaining("aud equals"),
    actual: "200 OK",
  });
  expect(found[0]?.evidence?.controls?.length).toBeGreaterThan(1);
  expect(found[0]?.evidence?.differences).toMatchObject([{ part: "claim", name: "aud" }]);
  expect(report.verdict).toBe("non-conformant");
  expect(report.exploration).toMatchObject({ found: 1, endedBy: "requests" });
  expect(report.exploration?.alike).toBeGreaterThan(3);
  expect(report.exploration?.requests).toBeLessThanOrEqual(310);
});

test("a conforming receiver has no explored case, and the verdict says that no case of the plan ran", async () => {
  const { report, found } = await exploreReference({}, { explore: { ...ONLY, requests: 400 } });
  expect(found).toEqual([]);
  expect(report.exploration?.judged).toBeGreaterThan(250);
  expect(report.verdict).toBe("partial");
  expect(report.verdictText).toContain("--explore-only");
});

test("a receiver that takes each `jti` once is not said to refuse a claim", async () => {
  const receiver = { variants: ["jti-of-one-token"] };
  // The first draws of this seed once had the same `jti` in several tokens.
  const { found } = await exploreReference(receiver, {
    seed: 3,
    explore: { ...ONLY, requests: 400 },
  });
  expect(found).toEqual([]);
});

/** What exploration sends with a seed, without its controls. */
async function exploredBy(requests: number): Promise<string[]> {
  const { sent } = await exploreReference({}, { seed: 7, explore: { ...ONLY, requests } });
  return sent.filter((one) => one.includes("/explored-")).toSorted();
}

test("equal seeds send equal requests, and a smaller limit only ends them sooner", async () => {
  const [first, again, shorter] = [
    await exploredBy(260),
    await exploredBy(260),
    await exploredBy(120),
  ];
  expect(first.length).toBeGreaterThan(150);
  expect(again).toEqual(first);
  expect(first).toEqual(expect.arrayContaining(shorter));
  expect(shorter.length).toBeLessThan(first.length);
});

test("a rule that the plan saw violated on an operation has no explored case there", async () => {
  const { report, found } = await exploreReference(
    { faults: ["audience-unchecked"] },
    { patterns: ["receiver.audience", "receiver.issuer"], explore: { requests: 200 } },
  );
  expect(report.verdict).toBe("non-conformant");
  expect(found).toEqual([]);
  expect(report.exploration?.alike).toBeGreaterThan(0);
});

test("where requests without a token are served, no other rule is blamed for what its tokens are", async () => {
  const { found } = await exploreReference(
    { faults: ["signature-unchecked"] },
    { explore: { ...ONLY, requests: 300 } },
  );
  expect([...new Set(found.map(({ id }) => id.split("/")[0]))]).toEqual(["receiver.signature"]);
});

test("a report with explored cases is consistent by its own record", async () => {
  const { report } = await exploreReference(
    { faults: ["audience-unchecked"] },
    { explore: { ...ONLY, requests: 150 } },
  );
  const { discrepancies, taken } = await verifyReport(
    JSON.parse(reportJson(report)) as Report,
    RULES,
  );
  expect(discrepancies).toEqual([]);
  expect(taken).toEqual([
    { rule: "receiver.audience", missing: "exploration", cases: report.exploration?.found },
  ]);
});

test("an explored case is run again by its id alone", async () => {
  const { found } = await exploreReference(
    { faults: ["audience-unchecked"] },
    { explore: { ...ONLY, requests: 150 } },
  );
  const names = found.map(({ id }) => id);
  expect(names).toHaveLength(1);
  const only = { names, what: "the case" };
  const again = await exploreReference({ faults: ["audience-unchecked"] }, { seed: 5, only });
  expect(again.found.map(({ id, outcome }) => [id, outcome])).toEqual([[names[0], "fail"]]);
  const mended = await exploreReference({}, { only });
  expect(mended.found.map(({ id, outcome }) => [id, outcome])).toEqual([[names[0], "pass"]]);
});

test("without consent to writes nothing is written, and with it only the primary organization", async () => {
  const reading = await exploreReference({}, { explore: { ...ONLY, requests: 200 } }, (target) => ({
    ...target,
    writes: false,
  }));
  expect(reading.sent.filter((one) => / (?:PATCH|POST) /.test(one))).toEqual([]);
  const writing = await exploreReference(
    { faults: ["expiry-unchecked", "scope-unchecked"] },
    { explore: { ...ONLY, requests: 500 } },
  );
  for (const count of Object.values(writing.report.writes)) expect(count).toBeLessThan(20);
  const { primary } = writing.report.plan.facts.organizations;
  const written = writing.sent.filter((one) => / (?:PATCH|POST) /.test(one));
  expect(written.length).toBeGreaterThan(20);
  const inOthers = written.filter(
    (one) => !one.toLowerCase().includes(`/${primary}`) && /orgs\/[\da-f]{8}-/i.test(one),
  );
  expect(inOthers).toEqual([]);
});
