import type { Location, Log, Notification, ReportingDescriptor, Result } from "sarif";

import { OPERATIONS } from "../contract/operations.ts";
import { requirement } from "../contract/requirements.ts";
import { knownFailures } from "./groups.ts";
import type { Report, ReportCase, ReportRule } from "./report.ts";
import type { Reporter } from "./reporter.ts";
import { differenceTexts } from "./text/differences.ts";
import { printableReport } from "./untrusted.ts";

const SCHEMA = "https://json.schemastore.org/sarif-2.1.0.json";
/** The SARIF level for each level of a rule. */
const SEVERITIES = { MUST: "error", SHOULD: "warning", OBSERVE: "note" } as const;

/**
 * SARIF 2.1.0 for code scanning services: a rule for each rule, a result for each case that failed or
 * warned. The location of a result is the operation's description: in the deployment's OpenAPI document,
 * else in the profile, else none. A known failure is suppressed. Cases that could not be judged give no
 * result. The verdict is a notification of the invocation, so that an empty list of results is not taken
 * for a conformant deployment.
 */
export const sarif: Reporter = {
  file: "report.sarif",
  render(report) {
    const shown = printableReport(report);
    const { suite, startedAt, durationMs } = shown;
    const log: Log = {
      $schema: SCHEMA,
      version: "2.1.0",
      runs: [
        {
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
          columnKind: "utf16CodeUnits",
          results: shown.rules.flatMap((rule, index) => resultsOf(shown, rule, index)),
          properties: {
            verdict: shown.verdict,
            target: shown.target.baseUrl,
            seed: shown.seed,
            requirements: suite.requirements,
            mustCasesJudged: shown.coverage.judged,
            mustCases: shown.coverage.total,
          },
        },
      ],
    };
    return `${JSON.stringify(log, undefined, 2)}\n`;
  },
};

function descriptorOf({ diagnoses }: Report, rule: ReportRule): ReportingDescriptor {
  const { id, title, level, clause, requirements } = rule;
  const sentences = requirements.map((one) => `"${requirement(one).text}"`);
  const likely = diagnoses.filter((one) => one.rule === id);
  const help = [
    ...(clause === "" ? [] : [`Contract: ${clause}.`]),
    ...likely.map(({ behaves, look }) => `Behaves like a receiver that ${behaves}. ${look}`),
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

function resultsOf(report: Report, rule: ReportRule, ruleIndex: number): Result[] {
  const known = knownFailures(report);
  return rule.cases.flatMap((one): Result[] => {
    if (one.outcome !== "fail" && one.outcome !== "warn") return [];
    const justification = known.get(one.id);
    return [
      {
        ruleId: rule.id,
        ruleIndex,
        level: one.outcome === "fail" ? "error" : "warning",
        message: { text: messageOf(rule, one) },
        locations: [locationOf(report, one)],
        partialFingerprints: { "case/v1": one.id },
        ...(justification !== undefined && {
          suppressions: [{ kind: "external", justification }],
        }),
        properties: { case: one.id, level: one.level },
      },
    ];
  });
}

function messageOf(rule: ReportRule, one: ReportCase): string {
  const { title = rule.title, expected, actual, why, source, evidence } = one;
  return [
    `${one.id}: ${title}`,
    ...(expected === undefined ? [] : [`expected: ${expected}`]),
    ...(actual === undefined ? [] : [`actual: ${actual}`]),
    ...differenceTexts(evidence?.differences).map((text) => `differs: ${text}`),
    ...(why === undefined ? [] : [`why: ${why}`]),
    ...(source === undefined ? [] : [`source: ${source}`]),
  ].join("\n");
}

/**
 * The location of the operation's description; for a case without an operation, the line of the base URL.
 */
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
