import { createHash } from "node:crypto";

import type { Location, Log, Notification, ReportingDescriptor, Result, Run } from "sarif";

import { OPERATIONS } from "../contract/operations.ts";
import { requirement } from "../contract/requirements.ts";
import { knownFailures } from "./groups.ts";
import {
  type Report,
  type ReportCase,
  type ReportRule,
  type Reporter,
  withPacks,
} from "./report.ts";
import { behaviour } from "./text/diagnosis.ts";
import { differenceTexts } from "./text/differences.ts";
import { aboutCase, notHeld } from "./text/not-held.ts";
import { printableReport } from "./untrusted.ts";

/** The contract as a taxonomy: its clauses are what results refer to. */
const CONTRACT = "Organization Profile Syncing Service contract";
const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
const SEVERITIES = { MUST: "error", SHOULD: "warning", OBSERVE: "note" } as const;

/**
 * SARIF 2.1.0 for code scanning services: a rule for each rule, a result for each case that failed or
 * warned. The location of a result is the operation's description: in the deployment's OpenAPI document,
 * else in the profile, else none. Its taxon is the clause of the contract. A known failure is suppressed. Cases that could not be judged give no
 * result. The verdict is a notification of the invocation, so that an empty list of results is not taken
 * for a conformant deployment.
 */
export const sarif: Reporter = {
  file: "report.sarif",
  render(report) {
    const shown = printableReport(report);
    const log: Log = {
      $schema: SCHEMA,
      version: "2.1.0",
      runs: withPacks(shown).map(runOf),
    };
    return `${JSON.stringify(log, undefined, 2)}\n`;
  },
};

/** The run of the contract's rules, or of a pack's, which code scanning services keep apart by its category. */
function runOf(shown: Report): Run {
  const { suite, startedAt, durationMs } = shown;
  const { pack } = shown.plan;
  return {
    tool: {
      driver: {
        name: suite.name,
        semanticVersion: suite.version,
        rules: shown.rules.map((rule) => descriptorOf(shown, rule)),
      },
    },
    invocations: [
      {
        executionSuccessful: shown.suiteErrors.length === 0 && !shown.interrupted,
        startTimeUtc: startedAt,
        endTimeUtc: new Date(Date.parse(startedAt) + durationMs).toISOString(),
        toolExecutionNotifications: notificationsOf(shown),
      },
    ],
    ...(pack !== undefined && { automationDetails: { id: `${pack}/` } }),
    columnKind: "utf16CodeUnits",
    taxonomies: [{ name: pack ?? CONTRACT, taxa: clausesOf(shown).map((id) => ({ id })) }],
    results: shown.rules.flatMap((rule, index) => resultsOf(shown, rule, index)),
    properties: {
      verdict: shown.verdict,
      target: shown.target.baseUrl,
      seed: shown.seed,
      requirements: suite.requirements,
      mustCasesJudged: shown.coverage.judged,
      mustCases: shown.coverage.total,
    },
  };
}

function descriptorOf(
  { diagnoses, plan: { pack } }: Report,
  rule: ReportRule,
): ReportingDescriptor {
  const { id, title, level, clause, requirements } = rule;
  const sentences = requirements.map((one) => `"${requirement(one).text}"`);
  const likely = diagnoses.filter((one) => one.rule === id);
  const help = [
    ...(clause === "" ? [] : [`${pack ?? "Contract"}: ${clause}.`]),
    ...likely.map((one) => `${behaviour(one, false)}. ${one.look}`),
  ];
  return {
    id,
    shortDescription: { text: title },
    fullDescription: { text: sentences.join(" ") || title },
    ...(help.length > 0 && { help: { text: help.join("\n") } }),
    defaultConfiguration: { level: SEVERITIES[level] },
    properties: { tags: [level] },
  };
}

function clausesOf({ rules }: Report): readonly string[] {
  const cases = rules.flatMap((rule) =>
    rule.cases.filter(isResult).map(({ clause = rule.clause }) => clause),
  );
  return [...new Set(cases)].filter((clause) => clause !== "");
}

function isResult({ outcome }: ReportCase): boolean {
  return outcome === "fail" || outcome === "warn";
}

function resultsOf(report: Report, rule: ReportRule, ruleIndex: number): Result[] {
  const known = knownFailures(report);
  return rule.cases.filter(isResult).map((one): Result => {
    const justification = known.get(one.id);
    const { clause = rule.clause } = one;
    return {
      ruleId: rule.id,
      ruleIndex,
      level: one.outcome === "fail" ? "error" : "warning",
      message: { text: messageOf(rule, one) },
      locations: [locationOf(report, one)],
      ...(clause !== "" && {
        taxa: [{ id: clause, toolComponent: { name: report.plan.pack ?? CONTRACT } }],
      }),
      partialFingerprints: fingerprintsOf(one),
      ...(justification !== undefined && {
        suppressions: [{ kind: "external", justification }],
      }),
      properties: { case: one.id, level: one.level },
    };
  });
}

/**
 * The case alone identifies a result. GitHub reads `primaryLocationLineHash` only. Without it, GitHub makes one of the
 * line, and takes all cases of a rule on an operation for one.
 */
function fingerprintsOf({ id }: ReportCase): Record<string, string> {
  const hash = createHash("sha256").update(id).digest("hex").slice(0, 16);
  return { "case/v1": id, primaryLocationLineHash: `${hash}:1` };
}

function messageOf(rule: ReportRule, one: ReportCase): string {
  const { clause = rule.clause } = one;
  const { tried, notHeld: unheld } = aboutCase(rule, one);
  return [
    `${one.id}: ${notHeld(rule.title)}`,
    ...said("tried", tried),
    ...said("not held", unheld),
    ...said("requirement", one.requirement),
    ...(clause === "" ? [] : said("clause", clause)),
    ...said("expected", one.expected),
    ...said("actual", one.actual),
    ...differenceTexts(one.evidence?.differences).map((text) => `differs: ${text}`),
    ...said("why", one.why),
    ...said("source", one.source),
  ].join("\n");
}

function said(label: string, text: string | undefined): string[] {
  return text === undefined ? [] : [`${label}: ${text}`];
}

/** Where the operation is described; for a case without one, the line of the base URL. */
function locationOf({ target }: Report, { operation }: ReportCase): Location {
  const { document, profile } = target.sources ?? {};
  const inDocument = operation === undefined ? undefined : document?.lines[operation];
  const [file, startLine] =
    inDocument !== undefined || profile === undefined
      ? [document?.file, inDocument]
      : [profile.file, profile.lines[operation ?? "baseUrl"] ?? profile.lines["baseUrl"]];
  const route = operation && OPERATIONS[operation];
  return {
    ...(file !== undefined && {
      physicalLocation: {
        artifactLocation: { uri: file.split("/").map(encodeURIComponent).join("/") },
        ...(startLine !== undefined && { region: { startLine } }),
      },
    }),
    logicalLocations: [
      {
        ...(operation && { name: operation }),
        fullyQualifiedName: route
          ? `${route.method} ${target.baseUrl}${route.path}`
          : target.baseUrl,
        kind: "resource",
      },
    ],
  };
}

function notificationsOf({ verdict, verdictText, setup, suiteErrors }: Report): Notification[] {
  return [
    ...suiteErrors.map((text): Notification => ({ level: "error", message: { text } })),
    { level: verdict === "conformant" ? "note" : "warning", message: { text: verdictText } },
    ...setup.map(({ problem, remedy }): Notification => ({
      level: "warning",
      message: { text: `${problem}\n${remedy}` },
    })),
  ];
}
