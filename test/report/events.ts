import type { CaseResult, RunEvent, RunFinished } from "../../src/engine/events.ts";
import type { Exchange } from "../../src/http/exchange.ts";
import { phrase } from "../../src/probe/phrase.ts";
import { maskedFacts } from "../../src/profile/facts.ts";
import { resolveTarget } from "../../src/profile/resolve.ts";
import { reportFrom } from "../../src/report/json.ts";
import type { BaselineNote, Report } from "../../src/report/report.ts";

/** One exchange, with what a test cares about changed. */
export function exchange(id: string, more: Partial<Exchange> = {}): Exchange {
  return {
    id,
    caseId: "receiver.expiry/hour-ago@viewOrganization",
    request: {
      method: "GET",
      url: "http://127.0.0.1:8080/base/orgs",
      headers: [
        ["accept", "application/json"],
        ["authorization", "Bearer [redacted]"],
      ],
    },
    response: { status: 200, headers: {}, body: '{"items":[]}', truncated: false },
    startedAt: "2025-01-01T00:00:00.000Z",
    durationMs: 1,
    ...more,
  };
}

/** One result of `receiver.expiry`, by default a failure. */
export function result(id: string, more: Partial<CaseResult> = {}): CaseResult {
  return {
    id: `receiver.expiry/${id}`,
    rule: "receiver.expiry",
    title: "`exp` passed an hour ago",
    operation: "viewOrganization",
    level: "MUST",
    outcome: "fail",
    expected: phrase`the request is rejected with a 4xx`,
    actual: phrase`200 OK`,
    evidence: {
      probes: ["x2"],
      controls: ["x1"],
      differences: [{ part: "claim", name: "exp", control: 2, probe: 1 }],
    },
    ...more,
  };
}

/** The events of a run of `receiver.expiry` with these results. */
export function eventsOf(
  results: readonly CaseResult[],
  finished: Partial<RunFinished> = {},
  exchanges: readonly Exchange[] = [exchange("x1"), exchange("x2")],
): RunEvent[] {
  return [
    {
      type: "run-started",
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
    },
    {
      type: "run-planned",
      rules: [
        {
          id: "receiver.expiry",
          title: "An expired token is rejected",
          level: "MUST",
          clause: "Authentication / Receiver checks / 4",
          requirements: ["checks.expiry"],
        },
      ],
      cases: results.length,
      caseIds: results.map(({ id }) => id),
      excluded: [],
      plan: {
        rules: "0".repeat(64),
        patterns: [],
        facts: maskedFacts(resolveTarget({ baseUrl: "http://127.0.0.1:8080/base" })),
      },
    },
    ...exchanges.map((one): RunEvent => ({ type: "exchange", exchange: one })),
    ...results.map((one): RunEvent => ({ type: "case-judged", result: one })),
    {
      type: "run-finished",
      verdict: "non-conformant",
      verdictText: "Not conformant.",
      partialBecause: [],
      scope: { sides: ["receiver"], operations: ["viewOrganization"] },
      coverage: { judged: 1, total: 1 },
      setup: [],
      facts: [],
      diagnoses: [],
      observations: [],
      requests: 2,
      writes: {},
      leftBehind: [],
      durationMs: 1234,
      waitedMs: 0,
      interrupted: false,
      suiteErrors: [],
      ...finished,
    },
  ];
}

/** The report that comes of such a run. */
export function reportOf(...run: Parameters<typeof eventsOf>): Report {
  return reportFrom(eventsOf(...run));
}

/** A report whose failures were compared with a baseline. */
export function withBaseline(report: Report, note: Partial<BaselineNote>): Report {
  const baseline = { file: "known.yaml", known: [], unknown: [], stale: [], ...note };
  return { ...report, baseline };
}
