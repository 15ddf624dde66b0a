import { idInRule, ruleOfCase, sideOfId } from "../contract/ids.ts";
import { LEVELS } from "../contract/levels.ts";
import { OUTCOMES, type Outcome } from "../engine/events.ts";
import { countEach, groupBy } from "../lib/group-by.ts";
import { OF_SHAPES } from "../probe/answer-statistics.ts";
import { factInWords } from "../probe/phrase.ts";
import {
  casesOf,
  type Report,
  type ReportCase,
  type ReportObservation,
  type ReportRule,
} from "./report.ts";
import { inShortForm } from "./text/shapes.ts";

/** Some of the cases of a rule: its failures that no baseline allows, or its warnings that say the same. */
export interface RuleCases {
  readonly rule: ReportRule;
  readonly cases: readonly [ReportCase, ...ReportCase[]];
}

/** Cases with the same reason. */
interface ReasonGroup {
  readonly reason: string;
  readonly cases: readonly ReportCase[];
}

function casesWith(report: Report, outcome: Outcome): ReportCase[] {
  return casesOf(report).filter((one) => one.outcome === outcome);
}

/** The failures that a baseline allows, by case id: the reason and the last day. */
export function knownFailures({ baseline }: Report): ReadonlyMap<string, string> {
  return new Map(
    (baseline?.known ?? []).map(({ case: id, reason, expires }) => [
      id,
      `known failure${expires === undefined ? "" : ` until ${expires}`}: ${reason}`,
    ]),
  );
}

/**
 * Failures that no baseline allows, by rule, the worst first. Equally bad rules keep their order. A rule whose requests
 * were all refused, only with the wrong answer, let nothing through: it comes with the others.
 */
export function newFailures(report: Report): RuleCases[] {
  const known = knownFailures(report);
  const failed = rulesWith(report, "fail", ({ id }) => !known.has(id));
  const place = ({ rule, cases }: RuleCases): number =>
    cases.every(isRefusal) ? WORST_FIRST.length : rankOf(rule.id);
  return failed.toSorted((a, b) => place(a) - place(b));
}

/** The rules that have cases of an outcome, with these cases. */
export function rulesWith(
  { rules }: Report,
  outcome: Outcome,
  isMeant: (one: ReportCase) => boolean = () => true,
): RuleCases[] {
  return rules.flatMap((rule): RuleCases[] => {
    const [first, ...others] = rule.cases.filter((one) => one.outcome === outcome && isMeant(one));
    return first ? [{ rule, cases: [first, ...others] }] : [];
  });
}

/** The warnings by rule, and by what was expected and seen. */
export function warningGroups(report: Report): RuleCases[] {
  return rulesWith(report, "warn").flatMap(({ rule, cases }) => {
    const groups = groupBy(cases, ({ expected, actual }) => `${expected}\n${actual}`);
    return [...groups.values()].map((alike) => ({ rule, cases: alike }));
  });
}

/** The cases that could be judged in another run, with another profile, or at another deployment. */
export function openCases(report: Report): ReportCase[] {
  return OPEN.flatMap((outcome) => casesWith(report, outcome));
}

const OPEN: readonly Outcome[] = ["inconclusive", "not-provisioned"];

/** The cases that do not apply, grouped by reason. */
export function inapplicableGroups(report: Report): ReasonGroup[] {
  const cases = casesWith(report, "not-applicable");
  return [...groupBy(cases, reasonAnywhere)].map(([reason, alike]) => {
    const alone = new Set(alike.map(({ operation }) => operation)).size === 1;
    return { reason: (alone ? alike[0].reason : undefined) ?? reason, cases: alike };
  });
}

/** The reason without the operation, so that cases of several operations can be grouped. */
export function reasonAnywhere({
  blamedOn,
  code,
  operation,
  missing,
  reason = "",
}: ReportCase): string {
  if (blamedOn !== undefined && code !== "beside-others") {
    // A failure of the authorization server may concern all clients.
    return `${blamedOn} already failed${sideOfId(blamedOn) === "receiver" ? " on the same operation" : ""}`;
  }
  // The key of a profile may contain the name.
  return operation === undefined || missing
    ? reason
    : reason.replaceAll(operation, "its operation");
}

/** Keys that a profile must have together. */
const TOGETHER: Readonly<Record<string, readonly string[]>> = {
  denied: ["denied.subject", "denied.organization"],
};

/** Keys of a profile, and those that each must have beside it. */
export function withCompanions(keys: readonly string[]): string[] {
  return [...new Set(keys.flatMap((key) => TOGETHER[key] ?? [key]))];
}

/** A long unbroken text, such as a JSON Schema. Only the report shows it whole. */
const LONG_WORD = /(\S{48})\S{8,}/gu;

interface ObservationGroup {
  readonly title: string;
  readonly value: string;
  readonly count: number;
}

/** The observations as people read them, each title and value once. */
export function observationGroups({
  observations,
}: Pick<Report, "observations">): ObservationGroup[] {
  const shown = observations.map((one) => ({ title: one.title, value: shownValue(one) }));
  const groups = groupBy(shown, ({ title, value }) => `${title}\n${value}`);
  return [...groups.values()].map(({ 0: { title, value }, length: count }) => ({
    title: title.replace(/, as JSON Schema$/, ""),
    value,
    count,
  }));
}

/** The value, with schemas in their short form; the report has them whole. */
function shownValue({ id, value, facts: [fact] = [] }: ReportObservation): string {
  if (!id.startsWith(OF_SHAPES) || fact?.kind !== "tally") return value;
  const counts = fact.counts.map(([seen, times]) => [inShortForm(seen), times] as const);
  return factInWords({ ...fact, counts });
}

/**
 * What was measured beside a rule, such as how long after `exp` a token is accepted: it helps to explain a failure. A
 * plain answer to a single request does not.
 */
export function measurements(
  { observations }: Pick<Report, "observations">,
  rule: string,
): ObservationGroup[] {
  return observationGroups({
    observations: observations.filter((one) => ruleOfCase(one.id) === rule && isMeasured(one)),
  });
}

/** Whether an observation says more than how one request was answered. */
export function isMeasured({ facts = [] }: Pick<ReportObservation, "facts">): boolean {
  return facts.every(({ kind }) => kind !== "answer");
}

export function observationRows(
  report: Pick<Report, "observations">,
): [title: string, value: string][] {
  return observationGroups(report).map(({ title, value, count }) => [
    count > 1 ? `${title} (${count} cases)` : title,
    value.replaceAll(LONG_WORD, "$1…"),
  ]);
}

/** Cases of one rule by mutation, which comes before the operation in their ids. */
export function byMutation(
  cases: readonly ReportCase[],
): Map<string, [ReportCase, ...ReportCase[]]> {
  return groupBy(cases, ({ id }) => idInRule(id).replace(/@.*$/, ""));
}

/** The ids of cases of one rule, each without that of the rule. */
export function namesOf(cases: readonly ReportCase[]): string {
  return cases.map(({ id }) => idInRule(id)).join(", ");
}

/** `receiver.audience (6), receiver.expiry` */
export function ruleCounts(cases: readonly ReportCase[]): string {
  return [...countEach(cases.map(({ id }) => ruleOfCase(id)))]
    .map(([rule, count]) => (count > 1 ? `${rule} (${count})` : rule))
    .join(", ");
}

/** The number of cases of each outcome, at all levels together. */
export function totals({ counts }: Pick<Report, "counts">): Readonly<Record<Outcome, number>> {
  const total = (outcome: Outcome): number =>
    LEVELS.reduce((sum, level) => sum + counts[level][outcome], 0);
  return Object.fromEntries(OUTCOMES.map((outcome) => [outcome, total(outcome)])) as Record<
    Outcome,
    number
  >;
}

export function sumOf(counts: Readonly<Record<string, number>>): number {
  return Object.values(counts).reduce((sum, count) => sum + count, 0);
}

/** `2 fail, 6 pass`; outcomes with a count of zero are omitted. */
export function countsOf(counts: Readonly<Record<string, number>>): string {
  return Object.entries(counts)
    .filter(([, count]) => count > 0)
    .map(([outcome, count]) => `${count} ${outcome}`)
    .join(", ");
}

/**
 * What a violation lets happen, the worst first: somebody gets the data of another organization, a request without valid
 * authentication is served, a token does more than its scope allows. Every other rule comes after these.
 */
const WORST_FIRST: readonly (readonly string[])[] = [
  [
    "receiver.binding",
    "receiver.binding-list",
    "receiver.local-policy",
    "receiver.local-policy-list",
    "receiver.isolation",
    "resources.change-isolated",
  ],
  [
    "receiver.token-required",
    "receiver.signature",
    "receiver.issuer",
    "receiver.audience",
    "receiver.expiry",
    "receiver.no-side-effects",
    "authorization-server.authorization-code",
    "authorization-server.client-credentials",
    "authorization-server.keys",
    "authorization-server.pkce",
    "authorization-server.redirect",
  ],
  ["receiver.scope", "authorization-server.scope"],
];

/** The place of a failed rule among others: the worst have the smallest. */
export function rankOf(rule: string): number {
  const found = WORST_FIRST.findIndex((rules) => rules.includes(rule));
  return found >= 0 ? found : WORST_FIRST.length;
}

function isRefusal({ facts: { actual = [] } = {} }: ReportCase): boolean {
  return actual.length > 0 && actual.every((fact) => fact.kind === "answer" && fact.status >= 400);
}

/** `2 fail, 6 pass`, the worst first. */
export function tally(cases: readonly ReportCase[]): string {
  return countsOf(
    Object.fromEntries(
      OUTCOMES.map((outcome) => [outcome, cases.filter((one) => one.outcome === outcome).length]),
    ),
  );
}
