import { createRequire } from "node:module";

import { Ajv } from "ajv";
import formats from "ajv-formats";
import type { Log, Run } from "sarif";
import { describe, expect, it } from "vitest";

import type { Report } from "../../src/report/report.ts";
import { sarif } from "../../src/report/sarif.ts";
import { reportOf, result, withBaseline } from "./events.ts";
import { hostileReport } from "./hostile.ts";

const require = createRequire(import.meta.url);
// Draft 04 differs from what Ajv knows by `id` alone, as far as this schema goes.
const {
  $schema: _,
  id: __,
  ...schema
} = require("@microsoft/jest-sarif/lib/schemas/sarif-2.1.0-rtm.5.json") as Record<string, unknown>;
const ajv = new Ajv({ strict: false, allErrors: true, unicodeRegExp: false });
formats.default(ajv);
const validate = ajv.compile<Log>(schema);

function read(report: Report): Run {
  const log: unknown = JSON.parse(sarif.render(report));
  if (!validate(log)) throw new Error(JSON.stringify(validate.errors));
  const [run] = log.runs;
  if (!run) throw new Error("no run");
  return run;
}

const inProfile = (startLine: number): unknown => ({
  artifactLocation: { uri: "a%20b/orgsync.yaml" },
  region: { startLine },
});

describe("report.sarif", () => {
  it("has a result for each failure and warning, and none for other cases", () => {
    const { results = [], tool } = read(
      reportOf([
        result("failed@viewOrganization"),
        result("warned@viewOrganization", { outcome: "warn", level: "SHOULD" }),
        result("passed@viewOrganization", { outcome: "pass" }),
        result("unclear@viewOrganization", { outcome: "inconclusive" }),
        result("seen@viewOrganization", { outcome: "observed", level: "OBSERVE" }),
      ]),
    );
    expect(results.map(({ level, properties }) => [properties?.["case"], level])).toEqual([
      ["receiver.expiry/failed@viewOrganization", "error"],
      ["receiver.expiry/warned@viewOrganization", "warning"],
    ]);
    const [rule] = tool.driver.rules ?? [];
    expect(rule).toMatchObject({ id: "receiver.expiry", defaultConfiguration: { level: "error" } });
    expect(results.map(({ ruleId, ruleIndex }) => [ruleId, ruleIndex])).toEqual([
      ["receiver.expiry", 0],
      ["receiver.expiry", 0],
    ]);
    expect(results[0]?.message.text).toContain(
      "expected: the request is rejected with a 4xx\nactual: 200 OK\ndiffers: ",
    );
  });

  it("names the clause and the operation of a result, and keeps two cases on one line apart", () => {
    const { results = [], taxonomies = [] } = read(
      reportOf([result("one@viewOrganization"), result("two@viewOrganization")]),
    );
    const clause = "Authentication / Receiver checks / 4";
    expect(taxonomies.flatMap(({ taxa = [] }) => taxa.map(({ id }) => id))).toEqual([clause]);
    for (const { taxa, locations, message } of results) {
      expect(taxa?.map(({ id }) => id)).toEqual([clause]);
      expect(locations?.[0]?.logicalLocations?.[0]?.name).toBe("viewOrganization");
      expect(message.text).toContain(`clause: ${clause}\n`);
    }
    // GitHub compares this one alone.
    const hashes = results.map((one) => one.partialFingerprints?.["primaryLocationLineHash"]);
    expect(new Set(hashes).size).toBe(2);
    expect(hashes[0]).toMatch(/^[\da-f]{16}:1$/);
  });

  it("states the verdict, because no results do not mean conformant", () => {
    const { invocations, properties } = read(
      reportOf([result("unclear@viewOrganization", { outcome: "inconclusive" })], {
        verdict: "incomplete",
        verdictText: "Incomplete: one.",
      }),
    );
    expect(properties).toMatchObject({ verdict: "incomplete" });
    expect(invocations?.[0]).toMatchObject({
      executionSuccessful: true,
      toolExecutionNotifications: [{ level: "warning", message: { text: "Incomplete: one." } }],
    });
  });

  it("reports a failed invocation if the suite itself has a fault", () => {
    const { invocations } = read(reportOf([], { suiteErrors: ["boom"] }));
    expect(invocations?.[0]).toMatchObject({
      executionSuccessful: false,
      toolExecutionNotifications: [{ level: "error", message: { text: "boom" } }, {}],
    });
  });

  it("locates a result in the document, or else in the profile, or else in no file", () => {
    const report = reportOf([
      result("one@viewOrganization"),
      result("two", { operation: undefined }),
    ]);
    const located = (sources: Report["target"]["sources"]): unknown[] =>
      (read({ ...report, target: { ...report.target, sources } }).results ?? []).map(
        ({ locations }) => locations?.[0]?.physicalLocation,
      );
    const profile = { file: "a b/orgsync.yaml", lines: { baseUrl: 2, viewOrganization: 7 } };
    const document = { file: "api.yaml", lines: { viewOrganization: 40 } };
    expect(located(undefined)).toEqual([undefined, undefined]);
    expect(located({ profile })).toEqual([inProfile(7), inProfile(2)]);
    expect(located({ profile, document })).toEqual([
      { artifactLocation: { uri: "api.yaml" }, region: { startLine: 40 } },
      inProfile(2),
    ]);
    expect(located({ document })).toEqual([
      { artifactLocation: { uri: "api.yaml" }, region: { startLine: 40 } },
      { artifactLocation: { uri: "api.yaml" } },
    ]);
  });

  it("suppresses failures that the baseline knows", () => {
    const id = "receiver.expiry/hour-ago@viewOrganization";
    const report = reportOf([result("hour-ago@viewOrganization")]);
    const known = [{ case: id, reason: "ticket 1" }];
    expect(read(withBaseline(report, { known })).results?.[0]?.suppressions).toEqual([
      { kind: "external", justification: "known failure: ticket 1" },
    ]);
  });

  it("is valid SARIF whatever a deployment answers, and hides nothing", () => {
    const text = sarif.render(hostileReport());
    expect(() => read(hostileReport())).not.toThrow();
    expect(text).not.toMatch(/[\u0080-\u009F\u202E\u2066\u200B\u2028]|\\u001b|\\ud83d"/i);
  });
});
