import { assert, asyncProperty, string } from "fast-check";
import { XMLValidator } from "fast-xml-parser";
import { parse, type TestCase, type TestSuites } from "junit2json";
import { describe, expect, it } from "vitest";

import { phrase } from "../../src/probe/phrase.ts";
import { junit } from "../../src/report/junit.ts";
import type { Report } from "../../src/report/report.ts";
import { printable } from "../../src/report/untrusted.ts";
import { exchange, reportOf, result, withBaseline } from "./events.ts";
import { hostileReport, hugeReport } from "./hostile.ts";
import { realRun } from "./real-run.ts";

/** Characters that XML 1.0 cannot express, not even as a reference (section 2.2). */
// oxlint-disable-next-line no-control-regex
const NOT_XML = /[^\t\n\r\u0020-\uD7FF\uE000-\uFFFD\u{10000}-\u{10FFFF}]/u;

async function read(report: Report): Promise<TestSuites> {
  const xml = junit.render(report);
  expect(XMLValidator.validate(xml)).toBe(true);
  expect(xml).not.toMatch(NOT_XML);
  const suites = await parse(xml);
  if (!suites || !("testsuite" in suites)) throw new Error("no testsuites");
  return suites;
}

async function readCases(report: Report): Promise<readonly TestCase[]> {
  const { testsuite = [] } = await read(report);
  return testsuite.flatMap(({ testcase = [] }) => testcase);
}

describe("junit.xml", () => {
  it("counts a real run as its report does: a rule is a suite, and a case is a test case", async () => {
    const report = await realRun();
    const suites = await read(report);
    const outcomes = report.rules.flatMap(({ cases }) => cases.map(({ outcome }) => outcome));
    const count = (...wanted: string[]): number =>
      outcomes.filter((outcome) => wanted.includes(outcome)).length;
    expect(suites).toMatchObject({
      tests: outcomes.length,
      failures: count("fail"),
      errors: 0,
      skipped: count("inconclusive", "not-provisioned", "not-applicable"),
    });
    expect(suites.testsuite?.map(({ name }) => name)).toEqual(
      report.rules.filter(({ cases }) => cases.length > 0).map(({ id }) => id),
    );
    for (const suite of suites.testsuite ?? []) {
      const cases = suite.testcase ?? [];
      expect([suite.tests, suite.failures, suite.skipped]).toEqual([
        cases.length,
        cases.filter(({ failure }) => failure).length,
        cases.filter(({ skipped }) => skipped).length,
      ]);
    }
  });

  it("shows for a failure how to reproduce it", async () => {
    const [one] = await readCases(reportOf([result("hour-ago@viewOrganization")]));
    expect(one).toMatchObject({
      classname: "receiver.expiry",
      name: "receiver.expiry/hour-ago@viewOrganization",
      failure: [
        { type: "MUST", message: "expected: the request is rejected with a 4xx; actual: 200 OK" },
      ],
    });
    expect(one?.failure?.[0]?.inner).toMatchInlineSnapshot(`
      "
      Does not hold: "An expired token is rejected"
      "exp has not passed, allowing at most a small clock skew."
      (Authentication / Receiver checks / 4)

      tried     \`exp\` passed an hour ago
      expected  the request is rejected with a 4xx
      actual    200 OK
      answer    {"items":[]}
      differs   claim exp: 2 -> 1
      request   TOKEN=$(npx --no-install orgsync-conformance token \\
                  receiver.expiry/hour-ago@viewOrganization --quiet) &&
                curl -i 'http://127.0.0.1:8080/base/orgs' \\
                  -H 'accept: application/json' \\
                  -H "authorization: Bearer $TOKEN"
      again     npx --no-install orgsync-conformance replay report.json receiver.expiry/hour-ago@viewOrganization
      "
    `);
  });

  it("skips cases that were not judged, do not apply or may fail for now, with the reason", async () => {
    const report = reportOf([
      result("a", { outcome: "inconclusive", reason: phrase`the control was refused` }),
      result("b", { outcome: "not-provisioned", reason: phrase`the profile lacks denied` }),
      result("c", { outcome: "not-applicable", reason: phrase`not offered` }),
      result("d"),
    ]);
    const known = [{ case: "receiver.expiry/d", reason: "ticket 7", expires: "2030-01-31" }];
    const cases = await readCases(withBaseline(report, { known }));
    expect(cases.map(({ skipped, failure }) => [skipped?.[0]?.message, failure])).toEqual([
      ["inconclusive: the control was refused", undefined],
      ["not-provisioned: the profile lacks denied", undefined],
      ["not-applicable: not offered", undefined],
      ["known failure until 2030-01-31: ticket 7", undefined],
    ]);
  });

  it("passes warnings and observations, and shows what was seen", async () => {
    const cases = await readCases(
      reportOf([
        result("a", { outcome: "warn", level: "SHOULD" }),
        result("b", { outcome: "observed", level: "OBSERVE", actual: phrase`404 Not Found` }),
        result("c", { outcome: "pass" }),
      ]),
    );
    expect(cases.map((one) => one["system-out"]?.[0])).toEqual([
      'WARN, a SHOULD is violated\nDoes not hold: "An expired token is rejected"\nexpected  the request is rejected with a 4xx\nactual    200 OK',
      "observed: 404 Not Found",
      undefined,
    ]);
    expect(cases.every(({ failure, skipped }) => !failure && !skipped)).toBe(true);
  });

  it("reports faults of the suite, and stale entries of a baseline as failures", async () => {
    const report = reportOf([result("a", { outcome: "pass" })], {
      suiteErrors: ["x is undefined"],
    });
    const stale = [{ case: "receiver.expiry/a", why: "it passes" }];
    const suites = await read(withBaseline(report, { stale }));
    expect(suites).toMatchObject({
      tests: 3,
      errors: 1,
      failures: 1,
      testsuite: [
        { name: "suite", errors: 1, testcase: [{ error: [{ message: "x is undefined" }] }] },
        { name: "baseline", failures: 1, testcase: [{ failure: [{ message: "it passes" }] }] },
        { name: "receiver.expiry", tests: 1 },
      ],
    });
  });

  it("names the deployment, and takes durations from the probes", async () => {
    const probes = [exchange("x1", { durationMs: 1200 }), exchange("x2", { durationMs: 34 })];
    const evidence = { probes: ["x1", "x2"] };
    const [a, b] = [result("a", { evidence }), result("b", { evidence })];
    const report = reportOf([a, b], { durationMs: 1300 }, probes);
    const suites = await read(report);
    // Requests overlap, so the cases sum up to more than the run took.
    expect(suites.time).toBe(1.3);
    expect(suites.testsuite?.[0]?.time).toBe(2.468);
    expect(suites.testsuite?.[0]?.testcase?.[0]?.time).toBe(1.234);
    expect(suites.testsuite?.[0]?.timestamp).toBe("2025-01-01T00:00:00");
    expect(suites.testsuite?.[0]?.properties).toEqual([
      { name: "target", value: "http://127.0.0.1:8080/base" },
      { name: "verdict", value: "non-conformant" },
      { name: "operations", value: "viewOrganization" },
      { name: "MUST cases judged", value: "1 of 1" },
      { name: "seed", value: 42 },
      { name: "suite version", value: "0.1.0" },
      { name: "requirements version", value: "1.0.0" },
    ]);
  });

  it("shows as text whatever a target sends", async () => {
    const report = hostileReport();
    const { tests, failures } = await read(report);
    expect(tests).toBe(14 * (7 + 2));
    expect(failures).toBe(14 - 1 + 14);
    const cases = await readCases(report);
    const skipped = cases.filter(({ name }) => name?.startsWith("receiver.expiry/inconclusive-"));
    expect(skipped.map((one) => one.skipped?.[0]?.message)).toEqual(
      report.setup.map(({ problem }) => `inconclusive: ${printable(problem)}`),
    );
  });

  it("keeps any printable text unchanged", async () => {
    await assert(
      asyncProperty(string({ unit: "binary", maxLength: 40 }), async (text) => {
        const [one] = await readCases(
          reportOf([result("a", { outcome: "not-applicable", reason: phrase`${text}` })]),
        );
        expect(one?.skipped?.[0]?.message).toBe(`not-applicable: ${printable(text)}`);
      }),
    );
  });

  it("cuts a message of ten million characters", () => {
    expect(junit.render(hugeReport()).length).toBeLessThan(100_000);
  });
});
