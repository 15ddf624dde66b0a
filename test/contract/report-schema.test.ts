import { readFileSync } from "node:fs";

import formats from "ajv-formats";
import { Ajv2020 } from "ajv/dist/2020.js";
import { format } from "oxfmt";
import { beforeAll, describe, expect, it, test } from "vitest";

import { OPERATION_IDS } from "../../src/contract/operations.ts";
import { OUTCOMES } from "../../src/engine/events.ts";
import { fixturePath } from "../../src/lib/package-root.ts";
import { maskedFacts } from "../../src/profile/facts.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { reportJsonSchema } from "../../src/report/schema/report.ts";

interface Schema {
  $defs: { operation: { enum: string[] } };
}

const schema = JSON.parse(readFileSync(fixturePath("report.schema.json"), "utf8")) as Schema;
let problemsOf: (report: unknown) => string[];

beforeAll(() => {
  const ajv = new Ajv2020({ allErrors: true, allowUnionTypes: true });
  formats.default(ajv);
  const validate = ajv.compile(schema);
  problemsOf = (report) =>
    validate(report)
      ? []
      : (validate.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);
});

const none = Object.fromEntries(OUTCOMES.map((outcome) => [outcome, 0]));

/** Only what is required. */
const minimal = {
  schemaVersion: "2.0",
  verdict: "conformant",
  verdictText: "Conformant.",
  partial: false,
  partialBecause: [],
  coverage: { judged: 0, total: 0 },
  scope: { sides: ["receiver"], operations: ["viewOrganization"] },
  suite: { name: "orgsync-conformance", version: "0.1.0", requirements: "1.0.0" },
  target: {
    baseUrl: "http://127.0.0.1:8080/base",
    audience: "http://127.0.0.1:8080/base",
    issuer: "https://issuer.example.com",
    algorithm: "RS256",
    readOnly: false,
  },
  seed: 42,
  startedAt: "2025-01-01T00:00:00.000Z",
  durationMs: 12.5,
  requests: 0,
  writes: {},
  interrupted: false,
  suiteErrors: [],
  setup: [],
  diagnoses: [],
  plan: {
    rules: "0".repeat(64),
    patterns: [],
    facts: maskedFacts(resolveTarget({ baseUrl: "http://127.0.0.1:8080/base" })),
  },
  excluded: [],
  counts: { MUST: none, SHOULD: none, OBSERVE: none },
  rules: [],
  observations: [],
  exchanges: {},
};

const failedCase = {
  id: "receiver.audience/other@viewOrganization",
  title: "a token for somebody else",
  operation: "viewOrganization",
  level: "MUST",
  outcome: "fail",
  reason: "it was accepted",
  expected: "rejected: any 4xx",
  actual: "200",
  facts: {
    actual: [
      { kind: "answer", status: 200 },
      { kind: "count", count: 2, of: "item" },
      { kind: "value", value: "x" },
      { kind: "query", query: "page=1" },
      { kind: "number", number: 1 },
    ],
  },
  evidence: {
    probes: ["x2"],
    controls: ["x1", "x3"],
    differences: [{ part: "claim", name: "aud", control: "a", probe: "b" }],
  },
  flaky: false,
};

const rule = {
  id: "receiver.audience",
  title: "aud is the receiver's own base URL",
  level: "MUST",
  clause: "Authentication / Receiver checks / 3",
  requirements: ["checks.audience"],
  outcome: "fail",
  cases: [
    failedCase,
    {
      ...failedCase,
      id: "receiver.audience/other@readChange",
      outcome: "inconclusive",
      blamedOn: "receiver.signature",
    },
    {
      id: "receiver.audience/other@submitChange",
      level: "MUST",
      outcome: "not-provisioned",
      missing: ["writes"],
    },
  ],
};

const exchange = {
  id: "x2",
  caseId: "receiver.audience/other@viewOrganization",
  request: {
    method: "GET",
    url: "http://127.0.0.1:8080/base/orgs/1",
    headers: [["authorization", "Bearer [redacted]"]],
    token: { header: { alg: "RS256" }, claims: { aud: "b" }, mutation: "aud-other" },
  },
  response: {
    status: 200,
    headers: { "content-type": "application/json" },
    body: "{}",
    truncated: false,
  },
  startedAt: "2025-01-01T00:00:00.001Z",
  durationMs: 3,
};

const unanswered = {
  id: "x4",
  caseId: "setup/reach",
  request: { method: "PATCH", url: "http://127.0.0.1:8080/", headers: [], body: "{}" },
  fault: { kind: "timeout", message: "no answer within 10 s" },
  startedAt: "2025-01-01T00:00:00.001Z",
  durationMs: 10_000,
};

/** Every member that the format knows. */
const full = {
  ...minimal,
  verdict: "non-conformant",
  verdictText: "Not conformant: 1 MUST case of 1 rule failed.",
  partial: true,
  partialBecause: ["nothing was written"],
  coverage: { judged: 1, total: 3 },
  target: { ...minimal.target, readOnly: true, somethingLater: 1 },
  writes: { editOrganization: 3, submitChange: 0 },
  setup: [{ problem: "The clock is off.", remedy: "Set it." }],
  excluded: [{ reason: "read-only", cases: 4 }],
  counts: {
    MUST: { ...none, fail: 1, inconclusive: 1, "not-provisioned": 1 },
    SHOULD: none,
    OBSERVE: none,
  },
  rules: [rule],
  observations: [
    { id: "clock.offset", title: "Clock", value: "0" },
    {
      id: "statuses",
      title: "Statuses",
      value: "200 (2 times)",
      facts: [{ kind: "tally", counts: [["200", 2]], more: 0 }],
    },
  ],
  exchanges: { x2: exchange, x4: unanswered },
  interrupted: false,
  suiteErrors: [],
};

const withRule = (patch: object): object => ({ ...full, rules: [{ ...rule, ...patch }] });
const withCase = (patch: object): object => withRule({ cases: [{ ...failedCase, ...patch }] });
const withExchange = (patch: object): object => ({
  ...full,
  exchanges: { x2: { ...exchange, ...patch } },
});

const broken: [what: string, report: object, where: string][] = [
  ["another schema version", { ...minimal, schemaVersion: "1.0" }, "/schemaVersion"],
  ["an unknown verdict", { ...minimal, verdict: "passed" }, "/verdict"],
  ["an unknown scope", { ...minimal, scope: "receiver" }, "/scope"],
  ["an unknown side", { ...minimal, scope: { sides: ["x"], operations: [] } }, "/scope/sides/0"],
  ["an unknown member", { ...minimal, verdct: "conformant" }, ""],
  [
    "a suite without version",
    { ...minimal, suite: { name: "x", requirements: "1.0.0" } },
    "/suite",
  ],
  ["a target without base URL", { ...minimal, target: {} }, "/target"],
  ["a seed with a fraction", { ...minimal, seed: 1.5 }, "/seed"],
  ["a start that is no time", { ...minimal, startedAt: "yesterday" }, "/startedAt"],
  ["a negative number of requests", { ...minimal, requests: -1 }, "/requests"],
  ["a write of an unknown operation", { ...minimal, writes: { deleteOrganization: 1 } }, "/writes"],
  ["counts without a level", { ...minimal, counts: { MUST: {}, SHOULD: {} } }, "/counts"],
  [
    "a count of an unknown outcome",
    { ...minimal, counts: { ...minimal.counts, MUST: { ...none, ok: 1 } } },
    "/counts/MUST",
  ],
  ["a rule without clause", withRule({ clause: undefined }), "/rules/0"],
  ["a rule with the level MAY", withRule({ level: "MAY" }), "/rules/0/level"],
  ["a rule id that is none", withRule({ id: "Audience" }), "/rules/0/id"],
  ["a case without its rule's id", withCase({ id: "other" }), "/rules/0/cases/0/id"],
  ["a case with an unknown outcome", withCase({ outcome: "error" }), "/rules/0/cases/0/outcome"],
  [
    "a case on an unknown operation",
    withCase({ operation: "listOrgs" }),
    "/rules/0/cases/0/operation",
  ],
  ["evidence that is no object", withCase({ evidence: ["x2"] }), "/rules/0/cases/0/evidence"],
  [
    "an observation without value",
    { ...full, observations: [{ id: "a", title: "b" }] },
    "/observations/0",
  ],
  [
    "an exchange with a token's text",
    withExchange({ request: { ...exchange.request, token: "ey…" } }),
    "/exchanges/x2/request/token",
  ],
  [
    "an exchange with an unknown fault",
    withExchange({ fault: { kind: "sad", message: "" } }),
    "/exchanges/x2/fault/kind",
  ],
  ["a problem without remedy", { ...full, setup: [{ problem: "x" }] }, "/setup/0"],
];

test("fixtures/report.schema.json is made from the one definition; `npx vitest run test/contract -u` writes it", async () => {
  const { code } = await format("report.schema.json", JSON.stringify(reportJsonSchema()));
  await expect(code).toMatchFileSnapshot("../../fixtures/report.schema.json");
});

describe("report.schema.json", () => {
  it("accepts a report with only the required members", () => {
    expect(problemsOf(minimal)).toEqual([]);
  });

  it("accepts a report with every known member", () => {
    expect(problemsOf(full)).toEqual([]);
  });

  it.each(Object.keys(minimal))("requires %s", (member) => {
    const report = Object.fromEntries(Object.entries(minimal).filter(([name]) => name !== member));
    expect(problemsOf(report)).toEqual([` must have required property '${member}'`]);
  });

  it.each(broken)("refuses %s", (_what, report, where) => {
    // As written to the file, without undefined members.
    const problems = problemsOf(JSON.parse(JSON.stringify(report)));
    expect(problems.map((problem) => problem.split(" ")[0])).toContain(where);
  });

  it("lists the contract's operations", () => {
    expect(schema.$defs.operation.enum).toEqual([...OPERATION_IDS]);
  });
});
