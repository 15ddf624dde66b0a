import XmlBuilder from "fast-xml-builder";

import { again, answersInOrder, byHand } from "./commands.ts";
import { foldCommand } from "./curl.ts";
import { failureFacts, mainRequirement, warningFacts } from "./failures.ts";
import { knownFailures } from "./groups.ts";
import { createPage, labelled, paragraph, deploymentText, fields } from "./layout.ts";
import {
  type Report,
  type ReportCase,
  type ReportRule,
  type Reporter,
  withPacks,
} from "./report.ts";
import { notHeld } from "./text/not-held.ts";
import { printableReport } from "./untrusted.ts";

type Attributes = Readonly<Record<`@_${string}`, string | number>>;
type Element = Attributes & { readonly "#text"?: string };
interface Came {
  /** At most one of these; a test case without any has passed. */
  readonly came?: "failure" | "error" | "skipped" | undefined;
  readonly content: Readonly<Record<string, Element | string>>;
}
interface Case extends Came {
  readonly head: Attributes;
  readonly seconds: number;
}

const PAGE = createPage(100, false);

const builder = new XmlBuilder({
  ignoreAttributes: false,
  format: true,
  suppressEmptyNode: true,
  suppressBooleanAttributes: false,
});

/**
 * JUnit XML for CI services: a test suite for each rule, a test case for each case. Failures are failures.
 * Cases that could not be judged, that do not apply, or that are known failures are skipped with the
 * reason. Warnings and observations pass, with a note in `system-out`. Suites of their own hold faults of
 * the suite (errors), stale entries of a baseline (failures) and a partial verdict (skipped).
 */
export const junit: Reporter = {
  file: "junit.xml",
  render(report) {
    const shown = printableReport(report);
    const suites = withPacks(shown).flatMap(suitesOf);
    const properties = { property: propertiesOf(shown) };
    return builder.build({
      "?xml": { "@_version": "1.0", "@_encoding": "UTF-8" },
      testsuites: {
        "@_name": shown.suite.name,
        ...totals(suites.flatMap(({ cases }) => cases)),
        // Requests overlap, so the sum of the cases is more than the run took.
        "@_time": (shown.durationMs / 1000).toFixed(3),
        testsuite: suites.map(({ name, cases }) => ({
          "@_name": name,
          ...totals(cases),
          "@_timestamp": shown.startedAt.slice(0, "2025-01-01T00:00:00".length),
          properties,
          testcase: cases.map(({ head, seconds, content }) => ({
            ...head,
            "@_time": seconds.toFixed(3),
            ...content,
          })),
        })),
      },
    });
  },
};

/** The test suites of the contract, or of one pack. */
function suitesOf(shown: Report): readonly { name: string; cases: Case[] }[] {
  const faults = shown.suiteErrors.map((message) => ({ title: "suite fault", message }));
  const partial =
    shown.verdict === "partial" ? [{ title: "partial", message: shown.verdictText }] : [];
  const stale = (shown.baseline?.stale ?? []).map(({ case: title, why: message }) => ({
    title,
    message,
  }));
  const { pack } = shown.plan;
  const named = (what: string): string => (pack === undefined ? what : `${what} of ${pack}`);
  return [
    ...ownSuite(named("suite"), "error", faults),
    // So that passing tests are not taken for a conformant deployment.
    ...ownSuite(named("verdict"), "skipped", partial),
    ...ownSuite(named("baseline"), "failure", stale),
    ...shown.rules
      .filter(({ cases }) => cases.length > 0)
      .map((rule) => ({ name: rule.id, cases: rule.cases.map(caseOf(shown, rule)) })),
  ];
}

/** A test suite for results that belong to no rule; empty when there are none. */
function ownSuite(
  name: string,
  came: NonNullable<Case["came"]>,
  results: readonly { readonly title: string; readonly message: string }[],
): { name: string; cases: Case[] }[] {
  const cases = results.map(({ title, message }) => ({
    head: { "@_classname": name, "@_name": title },
    seconds: 0,
    came,
    content: { [came]: { "@_message": message, ...(came !== "skipped" && { "@_type": name }) } },
  }));
  return cases.length > 0 ? [{ name, cases }] : [];
}

function caseOf(report: Report, rule: ReportRule): (one: ReportCase) => Case {
  const known = knownFailures(report);
  return (one) => ({
    head: { "@_classname": rule.id, "@_name": one.id },
    seconds: secondsOf(report, one),
    ...whatCame(report, rule, one, known.get(one.id)),
  });
}

function whatCame(
  report: Report,
  rule: ReportRule,
  one: ReportCase,
  known: string | undefined,
): Came {
  switch (one.outcome) {
    case "fail": {
      if (known !== undefined) return skipped(known);
      const message = `expected: ${one.expected ?? ""}; actual: ${one.actual ?? ""}`;
      const text = failureLines(report, rule, one).join("\n");
      const failure = { "@_message": message, "@_type": one.level, "#text": `\n${text}\n` };
      return { came: "failure", content: { failure } };
    }
    case "inconclusive":
    case "not-provisioned":
    case "not-applicable":
      return skipped(`${one.outcome}: ${one.reason ?? ""}`);
    case "warn": {
      const lines = [
        `WARN, a ${one.level} is violated`,
        ...paragraph(PAGE, 0, notHeld(rule.title)),
        ...warningFacts(PAGE, one),
      ];
      return { content: { "system-out": lines.join("\n") } };
    }
    case "observed": {
      const value = one.actual ?? one.reason ?? "";
      return { content: value === "" ? {} : { "system-out": `observed: ${value}` } };
    }
    case "pass":
      return { content: {} };
  }
}

function skipped(message: string): Came {
  return { came: "skipped", content: { skipped: { "@_message": message } } };
}

function failureLines(report: Report, rule: ReportRule, one: ReportCase): string[] {
  return [
    ...paragraph(PAGE, 0, notHeld(rule.title)),
    ...mainRequirement(rule).flatMap((text) => paragraph(PAGE, 0, `"${text}"`)),
    ...paragraph(PAGE, 0, `(${rule.clause})`),
    "",
    ...failureFacts(PAGE, 0, report, rule, one),
    ...fields(PAGE, 0, { answers: answersInOrder(report, one) }),
    ...labelled(PAGE, 0, "request", byHand(report, one)),
    ...labelled(PAGE, 0, "again", foldCommand(again(report, one), Infinity)),
  ];
}

/** The duration of the case's probes, without the time that it waited between them. */
function secondsOf({ exchanges }: Report, { evidence }: ReportCase): number {
  const probes = evidence?.probes ?? [];
  return probes.reduce((sum, id) => sum + (exchanges[id]?.durationMs ?? 0), 0) / 1000;
}

function totals(cases: readonly Case[]): Attributes {
  const count = (wanted: Case["came"]): number =>
    cases.filter(({ came }) => came === wanted).length;
  return {
    "@_tests": cases.length,
    "@_failures": count("failure"),
    "@_errors": count("error"),
    "@_skipped": count("skipped"),
    "@_time": cases.reduce((sum, { seconds }) => sum + seconds, 0).toFixed(3),
  };
}

function propertiesOf({
  suite,
  target,
  seed,
  verdict,
  scope,
  coverage,
  packs = [],
}: Report): Attributes[] {
  return Object.entries({
    target: target.baseUrl,
    ...(target.deployment && { deployment: deploymentText(target.deployment) }),
    verdict,
    ...Object.fromEntries(packs.map((pack) => [`verdict of ${pack.title}`, pack.verdict])),
    operations: scope.operations.join(" "),
    "MUST cases judged": `${coverage.judged} of ${coverage.total}`,
    seed,
    "suite version": suite.version,
    "requirements version": suite.requirements,
  }).map(([name, value]) => ({ "@_name": name, "@_value": value }));
}
