import { runInNewContext } from "node:vm";

import { isExploredId } from "../contract/ids.ts";
import { type Plan, planExploration, planRun } from "../engine/plan.ts";
import { OWNERS } from "../explore/owners.ts";
import { SuiteError } from "../lib/errors.ts";
import type { Rule } from "../probe/rule.ts";
import type { Facts } from "../profile/facts.ts";
import { casesOf, type Report } from "../report/report.ts";
import { compare } from "./compare.ts";
import { withThrowawayKeys } from "./recorded-target.ts";
import type { Note } from "./verification.ts";

/** The report is untrusted, so planning it must take a limited time. That of a usual one takes a hundredth. */
const LONGEST_SECONDS = 3;
const MOST_CLIENTS = 200;
const MOST_KEYS = 50;

/** A report's plan, made again from what the report says about profile and selection. */
export interface PlannedAgain {
  readonly facts: Facts;
  readonly plan: Plan;
}

/**
 * Makes the plan of a report again.
 * @returns the plan, or `undefined` if none follows from the report, which is then noted
 * @throws SuiteError when the plan's input is redacted in the report, is too large, or takes too long
 */
export function planAgain(
  report: Report,
  rules: readonly Rule[],
  note: Note,
): PlannedAgain | undefined {
  const { facts: recorded, patterns, only: what, exploresOnly = false } = report.plan;
  checkSize(report);
  if (/\[redacted/.test(JSON.stringify(recorded))) {
    throw new SuiteError("ERR_REPORT", "This report redacts data that its plan depends on", {
      hint: "Part of the profile came from the environment, ${env:…}: base URL, audience, subject, organizations or ids. Write those into the profile; only secrets need the environment.",
    });
  }
  try {
    const ids = report.rules.flatMap(({ cases }) => cases.map(({ id }) => id));
    const listed = ids.filter((id) => !isExploredId(id));
    const only = what === undefined ? undefined : { names: listed, what };
    const facts = withThrowawayKeys(recorded);
    const plan = inTime(() => planRun(facts, rules, patterns, only));
    return { facts, plan: exploresOnly ? planExploration(plan, rules, OWNERS) : plan };
  } catch (error) {
    if (error instanceof SuiteError && error.code === "ERR_REPORT") throw error;
    // Any other error is of code that a report with impossible facts has confused.
    const why = error instanceof SuiteError ? error.message : "its facts do not fit together";
    note("/plan", `no plan can be made of it: ${why}`);
    return undefined;
  }
}

function checkSize({ plan: { facts } }: Report): void {
  const clients = facts.authorizationServer?.clients.length ?? 0;
  const keys = facts.testIssuer.keys.length;
  if (clients > MOST_CLIENTS || keys > MOST_KEYS) {
    throw new SuiteError("ERR_REPORT", "Its plan is too large to be made again", {
      hint: `It may have at most ${MOST_CLIENTS} clients and ${MOST_KEYS} keys.`,
    });
  }
}

/**
 * Makes a plan in a limited time. The patterns of a report may be such that matching them takes years.
 * @throws SuiteError when it takes longer
 */
function inTime(plan: () => Plan): Plan {
  try {
    return runInNewContext("plan()", { plan }, { timeout: LONGEST_SECONDS * 1000 }) as Plan;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== "ERR_SCRIPT_EXECUTION_TIMEOUT") throw error;
    throw new SuiteError(
      "ERR_REPORT",
      `Its plan cannot be made again in ${LONGEST_SECONDS} seconds`,
      {
        hint: "Patterns of --rule with many wildcards take long. Run with simpler ones.",
      },
    );
  }
}

/** Notes where a report differs from its plan: additional, missing, repeated and misplaced entries. */
export function comparePlan(report: Report, { plan, facts }: PlannedAgain, note: Note): void {
  compareFacts(report, facts, note);
  const heads = new Map(plan.heads.map((head) => [head.id, head]));
  const planned = new Map(plan.cases.map((one) => [one.caseId, one]));
  for (const [at, { id: rule, cases, ...told }] of report.rules.entries()) {
    const head = heads.get(rule);
    if (head) {
      const { title, level, clause, requirements } = head;
      compare(told, { title, level, clause, requirements }, note, undefined, `/rules/${at}`);
    } else note(`/rules/${at}`, `the plan has no rule ${rule}`);
    for (const [nth, { id }] of cases.entries()) {
      const where = `/rules/${at}/cases/${nth}`;
      const own = planned.get(id);
      if (isExploredId(id)) continue;
      if (!own) note(where, "the plan has no such case", id);
      else if (own.rule.id !== rule) note(where, `it is listed under ${rule}`, id);
    }
  }
  const rules = report.rules.map(({ id }) => id);
  const cases = casesOf(report).map(({ id }) => id);
  for (const id of repeated(rules)) note("/rules", `the rule ${id} is listed twice`);
  for (const id of repeated(cases)) note("/rules", "it is listed twice", id);
  for (const id of missing(heads, rules))
    note("/rules", `the rule ${id} is missing, and nothing says that it was left out`);
  for (const id of report.interrupted ? [] : missing(planned, cases))
    note("/rules", "the plan has it, and nothing says that it was left out", id);
  if (report.plan.only === undefined) compare(report, { excluded: plan.excluded }, note);
}

function repeated(ids: readonly string[]): readonly string[] {
  const seen = new Set<string>();
  return ids.filter((id) => seen.size === seen.add(id).size);
}

function missing(planned: ReadonlyMap<string, unknown>, ids: readonly string[]): string[] {
  const listed = new Set(ids);
  return [...planned.keys()].filter((id) => !listed.has(id));
}

/** The facts must be those of the deployment that the report names. */
function compareFacts({ target }: Report, facts: Facts, note: Note): void {
  const { baseUrl, audience, origin, basePath, testIssuer, issued, writes } = facts;
  const place = URL.canParse(target.baseUrl) ? new URL(target.baseUrl) : undefined;
  compare(
    { ...target, origin: place?.origin, basePath: place?.pathname.replace(/\/+$/, "") },
    {
      baseUrl,
      audience,
      issuer: testIssuer.url,
      algorithm: issued ? undefined : testIssuer.key.alg,
      readOnly: !writes,
      origin,
      basePath,
    },
    (where) => note("/plan/facts", `its ${where.slice(1)} is not that of the report`),
  );
}
