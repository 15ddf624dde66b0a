import { LEVELS } from "../contract/levels.ts";
import { OUTCOMES, type Outcome } from "../engine/events.ts";
import type { Exchange } from "../http/exchange.ts";
import { controlOf, differencesOf, lastProbe } from "../report/evidence.ts";
import { type Report, type ReportCase, type ReportRule, withPacks } from "../report/report.ts";
import { diagnosisTexts } from "../report/text/diagnosis.ts";
import { differenceWords } from "../report/text/differences.ts";
import { printableAll } from "../report/untrusted.ts";
import type { CaseDetail, CaseState, DifferenceState, RuleState } from "./api.ts";
import { shownExchange } from "./shown.ts";
import { startOf, type StartTarget } from "./start.ts";

/** What the workbench shows of the cases of a report, before anything is judged again. */
const SHOWN: ReadonlySet<Outcome> = new Set(["fail", "inconclusive", "warn"]);
/** Characters of a text. */
const LONGEST = 4000;
/** Exchanges of a case. */
const MOST_OF_ALL = 50;

/** A case of a report, with what it is a part of. */
export interface FoundCase {
  readonly report: Report;
  readonly rule: ReportRule;
  readonly one: ReportCase;
}

/** The cases of a report and its packs, by id. */
export function casesById(whole: Report): Map<string, FoundCase> {
  return new Map(
    withPacks(whole).flatMap((report) =>
      report.rules.flatMap((rule) =>
        rule.cases.map((one) => [one.id, { report, rule, one }] as const),
      ),
    ),
  );
}

/** The cases to look at, the worst first, with their rules. */
export function casesToShow(whole: Report): readonly FoundCase[] {
  const all = [...casesById(whole).values()].filter(({ one }) => SHOWN.has(one.outcome));
  return all.toSorted((a, b) => rankOf(a.one) - rankOf(b.one));
}

function rankOf({ level, outcome }: ReportCase): number {
  return OUTCOMES.indexOf(outcome) * LEVELS.length + LEVELS.indexOf(level);
}

/** The cases by rule, in the order in which the rules first occur. */
export function ruleStates(
  cases: readonly FoundCase[],
  stateOf: (found: FoundCase) => CaseState,
): RuleState[] {
  const rules = new Map<string, { readonly rule: ReportRule; readonly cases: CaseState[] }>();
  for (const found of cases) {
    const known = rules.get(found.rule.id) ?? { rule: found.rule, cases: [] };
    rules.set(found.rule.id, known);
    known.cases.push(stateOf(found));
  }
  return [...rules.values()].map(({ rule, cases: own }) => ({ ...headOf(rule), cases: own }));
}

function headOf({ id, title, level, clause }: ReportRule): Omit<RuleState, "cases"> {
  return printableAll({ id, title, level, clause }, LONGEST);
}

/** A case in the list. */
export function caseState(
  { id, title, level, operation, clause, outcome }: ReportCase,
  now: ReportCase | undefined,
  says: ReportCase,
  writes: boolean | undefined,
): CaseState {
  return printableAll(
    {
      id,
      level,
      outcome,
      ...(title !== undefined && { title }),
      ...(operation !== undefined && { operation }),
      ...(clause !== undefined && { clause }),
      ...(now && { now: now.outcome }),
      says: says.actual ?? says.reason,
      ...(writes !== undefined && { writes }),
    },
    LONGEST,
  );
}

/** The requests of a case, and those of others that its evidence names: cases share walks and controls. */
function exchangesOf({ exchanges }: Report, { id, evidence }: ReportCase): Exchange[] {
  const named = new Set([...(evidence?.controls ?? []), ...(evidence?.probes ?? [])]);
  return Object.values(exchanges)
    .filter((one) => one.caseId === id || named.has(one.id))
    .toSorted((a, b) => Date.parse(a.startedAt) - Date.parse(b.startedAt));
}

/**
 * All of a case that helps to find the fault.
 * @param found of the last time that it was judged
 * @param target where its requests would be sent now; absent: nothing can be sent
 * @param whole the report whose diagnoses are shown, because one case that is judged again tells less. Default: that of the last time
 */
export function caseDetail(
  { report, rule, one }: FoundCase,
  state: CaseState,
  target: StartTarget | undefined,
  whole: Report = report,
): CaseDetail {
  const { baseUrl } = report.target;
  const origin = URL.canParse(baseUrl) ? new URL(baseUrl).origin : baseUrl;
  const [control, probe] = [controlOf(report, one), lastProbe(report, one)];
  const all = exchangesOf(report, one);
  const differences = differencesOf(report, one);
  const { requirement, expected, actual, reason, why, source } = one;
  const told = { requirement, expected, actual, reason, why, source };
  return {
    ...state,
    ...printableAll(told, LONGEST),
    rule: headOf(rule),
    // What was not sent, or holds by now, looks like nothing.
    diagnoses:
      probe && state.now !== "pass" ? printableAll(diagnosisTexts(whole, rule.id), LONGEST) : [],
    differences: differences.map((difference): DifferenceState => {
      const { where, control: was, probe: is } = differenceWords(difference);
      const name = "name" in difference ? difference.name : undefined;
      return printableAll({ part: difference.part, name, where, control: was, probe: is }, LONGEST);
    }),
    ...(control && { control: shownExchange(control, origin) }),
    ...(probe && { probe: shownExchange(probe, origin) }),
    all: (all.length > 2 ? all.slice(0, MOST_OF_ALL) : []).map((exchange) => ({
      shown: shownExchange(exchange, origin),
      ...(target && { start: startOf(exchange, [], report, target) }),
    })),
    start: {
      ...(control && target && { control: startOf(control, [], report, target) }),
      ...(probe && target && { probe: startOf(probe, differences, report, target, one.id) }),
    },
  };
}
