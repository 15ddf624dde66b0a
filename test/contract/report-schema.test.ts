import { readFileSync } from "node:fs";

import { format } from "oxfmt";
import { describe, expect, it, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { OUTCOMES } from "../../src/engine/events.ts";
import { fixturePath } from "../../src/lib/package-root.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { reportJsonSchema } from "../../src/report/schema/report.ts";
import { exchange, reportOf, result } from "../report/events.ts";
import { reportProblems } from "../report/schema.ts";

type Json = Record<string, unknown>;

/** A report as it is written to its file, without undefined members. */
const written = (...run: Parameters<typeof reportOf>): Json =>
  JSON.parse(JSON.stringify(reportOf(...run))) as Json;

const { response: _response, ...unanswered } = exchange("x1", { caseId: "setup/reach" });
const answered = exchange("x2", {
  request: { ...exchange("x2").request, token: { claims: { aud: "b" }, mutation: "other" } },
});
/** With every kind of fact, case and exchange. */
const full = written(
  [
    result("a@viewOrganization", {
      actual: phrase`${{ kind: "answer", status: 200 }}, ${{ kind: "value", value: "x" }}`,
      flaky: true,
    }),
    result("b@viewOrganization", {
      outcome: "inconclusive",
      blamedOn: "receiver.signature",
      reason: phrase`${{ kind: "query", query: "page=1" }}, ${{ kind: "number", number: 1 }}`,
    }),
    result("c@submitChange", { outcome: "not-provisioned", missing: ["writes"] }),
  ],
  {
    partialBecause: ["nothing was written"],
    writes: { editOrganization: 3, submitChange: 0 },
    setup: [{ problem: "The clock is off.", remedy: "Set it." }],
    observations: [
      {
        id: "statuses",
        title: "Statuses",
        value: phrase`${{ kind: "tally", counts: [["200", 2]], more: 0 }}`,
      },
    ],
  },
  [{ ...unanswered, fault: { kind: "timeout", message: "no answer within 10 s" } }, answered],
);
/** Only what is required. */
const minimal: Json = written([], {}, []);

const [rule] = full["rules"] as [Json & { readonly cases: readonly [Json] }];
const withRule = (patch: Json): Json => ({ ...full, rules: [{ ...rule, ...patch }] });
const withCase = (patch: Json): Json => withRule({ cases: [{ ...rule.cases[0], ...patch }] });
const withExchange = (patch: Json): Json => ({
  ...full,
  exchanges: { x2: { ...answered, ...patch } },
});
const OPTIONAL = ["facts", "leftBehind", "waitedMs"];
const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));

test("fixtures/report.schema.json is made from the one definition; `npx vitest run test/contract -u` writes it", async () => {
  const { code } = await format("report.schema.json", JSON.stringify(reportJsonSchema()));
  await expect(code).toMatchFileSnapshot("../../fixtures/report.schema.json");
});

describe("report.schema.json", () => {
  it("accepts a report with few or many members, and with members that come later", () => {
    for (const report of [
      minimal,
      full,
      { ...full, target: { ...(full["target"] as Json), later: 1 } },
    ]) {
      expect(reportProblems(report)).toEqual([]);
    }
  });

  it.each(Object.keys(minimal).filter((name) => !OPTIONAL.includes(name)))(
    "requires %s",
    (member) => {
      const { [member]: _, ...report } = minimal;
      expect(reportProblems(report)).toEqual([` must have required property '${member}'`]);
    },
  );

  it.each<[what: string, report: Json, where: string]>([
    ["another schema version", { ...minimal, schemaVersion: "1.0" }, "/schemaVersion"],
    ["an unknown verdict", { ...minimal, verdict: "passed" }, "/verdict"],
    ["an unknown side", { ...minimal, scope: { sides: ["x"], operations: [] } }, "/scope/sides/0"],
    ["an unknown member", { ...minimal, verdct: "conformant" }, ""],
    ["a target without base URL", { ...minimal, target: {} }, "/target"],
    ["a seed with a fraction", { ...minimal, seed: 1.5 }, "/seed"],
    ["a start that is no time", { ...minimal, startedAt: "yesterday" }, "/startedAt"],
    ["a negative number of requests", { ...minimal, requests: -1 }, "/requests"],
    ["a write of an unknown operation", { ...minimal, writes: { delete: 1 } }, "/writes"],
    ["counts without a level", { ...minimal, counts: { MUST: none, SHOULD: none } }, "/counts"],
    ["a rule without clause", withRule({ clause: undefined }), "/rules/0"],
    ["a rule with the level MAY", withRule({ level: "MAY" }), "/rules/0/level"],
    ["a rule id that is none", withRule({ id: "Audience" }), "/rules/0/id"],
    ["a case without its rule's id", withCase({ id: "other" }), "/rules/0/cases/0/id"],
    ["a case with an unknown outcome", withCase({ outcome: "error" }), "/rules/0/cases/0/outcome"],
    ["a case on another operation", withCase({ operation: "x" }), "/rules/0/cases/0/operation"],
    ["evidence that is no object", withCase({ evidence: ["x2"] }), "/rules/0/cases/0/evidence"],
    ["an observation without value", { ...full, observations: [{ id: "a" }] }, "/observations/0"],
    [
      "an exchange with a token's text",
      withExchange({ request: { ...answered.request, token: "ey…" } }),
      "/exchanges/x2/request/token",
    ],
    ["an unknown fault", withExchange({ fault: { kind: "sad" } }), "/exchanges/x2/fault/kind"],
    ["a problem without remedy", { ...full, setup: [{ problem: "x" }] }, "/setup/0"],
  ])("refuses %s", (_what, report, where) => {
    const problems = reportProblems(JSON.parse(JSON.stringify(report)));
    expect(problems.map((problem) => problem.split(" ")[0])).toContain(where);
  });

  it("lists the contract's operations", () => {
    const schema = JSON.parse(readFileSync(fixturePath("report.schema.json"), "utf8")) as {
      $defs: { operation: { enum: string[] } };
    };
    expect(schema.$defs.operation.enum).toEqual([...OPERATION_IDS]);
  });
});
