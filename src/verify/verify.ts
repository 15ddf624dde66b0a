import { controlledOperation, isExploredId, ruleOfCase } from "../contract/ids.ts";
import { assignBlame, type Blamable } from "../engine/blame.ts";
import type { CaseResult } from "../engine/events.ts";
import { UNJUDGED } from "../engine/judge.ts";
import type { PlannedCase } from "../engine/plan.ts";
import { digestOfRules } from "../engine/rules-digest.ts";
import type { Exchange } from "../http/exchange.ts";
import { SuiteError } from "../lib/errors.ts";
import { pointerToken } from "../lib/json-pointer.ts";
import { exchangesOf } from "../probe/finding.ts";
import type { Rule } from "../probe/rule.ts";
import { checkVersion } from "../report/read-report.ts";
import type { Report, ReportCase } from "../report/report.ts";
import { printable } from "../report/untrusted.ts";
import { checkConclusions } from "./conclusions.ts";
import { type CheckedCase, replayContext } from "./context.ts";
import { checkCourse } from "./course.ts";
import { checkEvidence, checkOwnRequests } from "./evidence-form.ts";
import { judgeAgain } from "./evidence.ts";
import { checkControls, checkIssued, checkNamedKeys } from "./good-requests.ts";
import type { Missing } from "./missing.ts";
import { checkForm, checkHead, checkReason, checkSettled } from "./outcome.ts";
import { comparePlan, planAgain } from "./plan.ts";
import {
  checkRecorded,
  checkResponses,
  recordedErrors,
  recordedResponses,
} from "./record-rules.ts";
import type { Discrepancy, Note, TakenOutcomes, Verification } from "./verification.ts";

/** Many times the number for a deployment with many clients. */
const MOST_CASES = 20_000;
/** The characters of a digest that tell two of them apart. */
const SHOWN = 12;

/** What is checked of each case without running its rule. */
const CHECKS: readonly ((checked: CheckedCase) => void)[] = [
  checkHead,
  checkForm,
  checkEvidence,
  checkReason,
  checkOwnRequests,
];

/**
 * Judges a report again from its own record. Sends nothing, and reads nothing but the report.
 * @param rules the rules that the report was made with
 * @throws SuiteError when another version of the suite, or other rules, made it
 */
export async function verifyReport(report: Report, rules: readonly Rule[]): Promise<Verification> {
  checkRules(report, rules);
  const discrepancies: Discrepancy[] = [];
  const note: Note = (where, what, caseId) =>
    discrepancies.push({ where, what, ...(caseId !== undefined && { case: caseId }) });

  const again = planAgain(report, rules, note);
  if (again) comparePlan(report, again, note);
  const exchanges = new Map(Object.entries(report.exchanges));
  checkExchanges(report, exchanges, note);

  const planned = new Map(again?.plan.cases.map((one) => [one.caseId, one]));
  const results = resultsOf(report, planned);
  checkBlame(report, results, [...planned.values(), ...exploredIn(report, rules)], note);
  const tally = { judgedAgain: 0, unjudged: 0, taken: new Map<string, TakenOutcomes>() };
  if (again) {
    const context = replayContext(report, again);
    checkCourse(context, note);
    await checkControls(context, note);
    await checkIssued(context, note);
    checkNamedKeys(context, note);
    const errors = recordedErrors(context);
    const responses = recordedResponses(context);
    for (const { one, where } of placed(report)) {
      const own = planned.get(one.id);
      if (!own && isExploredId(one.id))
        takeAsStated(tally.taken, ruleOfCase(one.id), "exploration");
      if (!own) continue;
      const told: Note = (within, what) => note(where + within, what, one.id);
      const checked: CheckedCase = { planned: own, one, context, note: told };
      for (const check of CHECKS) check(checked);
      if (checkSettled(checked)) {
        tally.judgedAgain += 1;
        continue;
      }
      await checkResponses(checked, responses);
      const isRecorded = await checkRecorded(checked, errors);
      const judged = isRecorded ? "again" : await judgeAgain(checked);
      if (judged === "again") tally.judgedAgain += 1;
      else if (UNJUDGED.has(one.outcome)) tally.unjudged += 1;
      else takeAsStated(tally.taken, own.rule.id, judged);
    }
  }
  const totals = checkConclusions(report, again?.plan, results, note);
  return {
    consistent: discrepancies.length === 0,
    discrepancies: discrepancies.toSorted((a, b) => placeOf(a) - placeOf(b)),
    cases: results.length,
    judgedAgain: tally.judgedAgain,
    unjudged: tally.unjudged,
    taken: [...tally.taken.values()],
    ...totals,
  };
}

/** What the evidence of a case contradicts comes first, then the rest of the cases, then plan and totals. */
function placeOf({ where, case: id }: Discrepancy): number {
  if (id === undefined) return 2;
  return /^\/rules\/\d+\/cases\/\d+\/(?:outcome|evidence)\b/.test(where) ? 0 : 1;
}

function takeAsStated(taken: Map<string, TakenOutcomes>, rule: string, missing: Missing): void {
  const key = `${rule} ${missing}`;
  taken.set(key, { rule, missing, cases: (taken.get(key)?.cases ?? 0) + 1 });
}

/**
 * Checks that a report was made with these rules.
 * @throws SuiteError when it was not, or has too many cases
 */
function checkRules(report: Report, rules: readonly Rule[]): void {
  checkVersion(report);
  const { rules: made } = report.plan;
  const own = digestOfRules(rules);
  if (made !== own) {
    throw new SuiteError(
      "ERR_REPORT",
      `It was made with another rule set than that of version ${report.suite.version} here, so its outcomes cannot be judged again: the digest of its rules and cases is ${printable(made, SHOWN)}, and here ${printable(own, SHOWN)}`,
      {
        hint: "If another commit of this version made it, check that one out in a clone of the suite's repository and run `npm run setup`.\nIf it was made with your own rules, use `verify(report, { rules })` of the library.",
      },
    );
  }
  if (placed(report).length > MOST_CASES) {
    throw new SuiteError("ERR_REPORT", `It has more than ${MOST_CASES} cases, more than any plan`);
  }
}

/** Every case, with its JSON Pointer. */
function placed({ rules }: Report): { one: ReportCase; where: string }[] {
  return rules.flatMap(({ cases }, at) =>
    cases.map((one, nth) => ({ one, where: `/rules/${at}/cases/${nth}` })),
  );
}

/** The cases that exploration found, as far as blame depends on them. */
function exploredIn(report: Report, rules: readonly Rule[]): Blamable[] {
  return placed(report).flatMap(({ one: { id, operation } }) => {
    const rule = rules.find((known) => known.id === ruleOfCase(id));
    if (!rule || !isExploredId(id)) return [];
    return [{ caseId: id, rule, testCase: { id, operation, judge: neverJudged } }];
  });
}

function neverJudged(): never {
  throw new TypeError("an explored case is not judged again");
}

/** The cases as results of the engine, with level and operation from the plan. */
function resultsOf(report: Report, planned: ReadonlyMap<string, PlannedCase>): CaseResult[] {
  return report.rules.flatMap(({ id: rule, cases }) =>
    cases.map(({ id, level, outcome, operation, blamedOn }) => {
      const own = planned.get(id);
      return {
        id,
        rule: own?.rule.id ?? rule,
        level: own?.level ?? level,
        outcome,
        operation: own ? own.testCase.operation : operation,
        client: own?.testCase.client,
        blamedOn,
      };
    }),
  );
}

/** Notes blame that the outcomes do not support, and blame that is missing. */
function checkBlame(
  report: Report,
  results: readonly CaseResult[],
  planned: readonly Blamable[],
  note: Note,
): void {
  const blamed = assignBlame(results, planned);
  for (const [at, { one, where }] of placed(report).entries()) {
    const culprit = blamed[at]?.reason ? blamed[at].blamedOn : undefined;
    if (culprit === one.blamedOn) continue;
    if (culprit === undefined && isOfCrossing(one, results, planned)) continue;
    const what =
      culprit === undefined
        ? `${one.blamedOn ?? ""} did not fail there, or the rule does not depend on it`
        : `${culprit} failed there and takes the blame, so this case proves nothing`;
    note(`${where}/blamedOn`, what, one.id);
  }
}

/** Whether a case is blamed on a rule that saw requests get one another's answers, on whatever operation. */
function isOfCrossing(
  { code, blamedOn }: ReportCase,
  results: readonly CaseResult[],
  planned: readonly Blamable[],
): boolean {
  return (
    code === "beside-others" &&
    planned.some(({ rule }) => rule.id === blamedOn && rule.crossing) &&
    results.some(
      ({ rule, outcome }) => rule === blamedOn && (outcome === "fail" || outcome === "warn"),
    )
  );
}

/** Notes exchanges that no evidence refers to, or whose id belongs to another case. */
function checkExchanges(
  report: Report,
  exchanges: ReadonlyMap<string, Exchange>,
  note: Note,
): void {
  const named = new Set(placed(report).flatMap(({ one }) => exchangesOf(one.evidence)));
  for (const [name, { id, caseId }] of exchanges) {
    const where = `/exchanges/${pointerToken(name)}`;
    if (id !== name) note(where, `its id is ${id}`);
    // Cases and what they share may send more than their evidence names; controls and set-up steps are recorded as evidence alone.
    if (!named.has(name) && controlledOperation(caseId) !== undefined)
      note(where, "no evidence names it");
  }
  if (report.requests < exchanges.size) {
    note("/requests", `${exchanges.size} exchanges are recorded`);
  }
}
