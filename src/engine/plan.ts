import type { Level } from "../contract/levels.ts";
import { OPERATION_IDS } from "../contract/operations.ts";
import { requirement } from "../contract/requirements.ts";
import { SuiteError } from "../lib/errors.ts";
import { itemIf } from "../lib/group-by.ts";
import { Finding, notProvisioned } from "../probe/finding.ts";
import { type Phrase, phrase } from "../probe/phrase.ts";
import { type CaseData, onlyMutation, type Phase, type Rule, sideOf } from "../probe/rule.ts";
import type { Facts } from "../profile/facts.ts";
import { namedNeeds, type Need } from "../profile/need.ts";
import { lackingTokens, needsOf, needsWrite, provisionOf } from "../setup/needs.ts";
import { hasSubjectsOfClients } from "../tokens/issuing-clients.ts";
import type { Exclusion, RuleHead } from "./events.ts";
import {
  type NamedCase,
  type NamedCases,
  matchesSome,
  selectMatching,
  selectNamed,
} from "./select-cases.ts";

/** One case of a plan. */
export interface PlannedCase extends NamedCase {
  readonly level: Level;
  readonly phase: Phase;
  /** The finding where it is known before anything is sent: not applicable, or not provisioned. */
  readonly settled?: Finding | undefined;
  /** Needs that the profile does not meet. The run looks for them at the deployment. */
  readonly open: readonly Need[];
}

/** The cases of a run, made before anything is sent. */
export interface Plan {
  /** In the order of the registry. */
  readonly cases: readonly PlannedCase[];
  readonly heads: readonly RuleHead[];
  readonly excluded: readonly Exclusion[];
  /** Deliberate restrictions by which the verdict does not cover the whole contract; or none. */
  readonly partialBecause: readonly string[];
  /** The number of selected MUST cases that need a test issuer's key, where tokens are issued. */
  readonly wantTestIssuer: number;
  /** The name of the pack whose rules they are. Default: they are the contract's. */
  readonly pack?: string | undefined;
  /** The number of MUST cases on all six operations, whatever was selected or is offered. */
  readonly allMusts: number;
}

/**
 * Plans the cases of a run before anything is sent.
 * @param patterns globs over rule ids and case names; an empty list selects all
 * @param only restricts the plan to these cases; default: no restriction
 * @param further cases that no rule lists, of which `only` may name some
 * @throws SuiteError when a pattern matches nothing, a named case does not exist, or none of them is
 * left
 */
export function planRun(
  facts: Facts,
  rules: readonly Rule[],
  patterns: readonly string[],
  only?: NamedCases,
  further: readonly NamedCase[] = [],
): Plan {
  const all = [...casesOf(facts, rules), ...further];
  const matching = selectMatching(all, rules, patterns);
  const wanted = only ? selectNamed(all, matching, only) : matching;
  const selected = wanted.map((one) => planCase(facts, one));
  const issuable = selected.filter((planned) => !isLeftOut(facts, planned));
  const included = issuable.filter((planned) => !facts.readOnly || !needsWrite(planned.testCase));
  const left = issuable.length - included.length;
  const unissuable = selected.length - issuable.length;
  if (only && only.names.length > 0 && included.length === 0) {
    throw new SuiteError(
      "ERR_NO_MATCH",
      `There is nothing to run: every case of ${only.what} needs a PATCH or POST`,
      {
        hint: "Run without --read-only.",
      },
    );
  }
  const pack = rules[0]?.pack;
  const ruleIds = new Set(included.map(({ rule }) => rule.id));
  return {
    cases: included,
    heads: rules.filter(({ id }) => ruleIds.has(id)).map(ruleHead),
    excluded: [
      ...itemIf(unissuable > 0, {
        reason: "testIssuer: false: only a test issuer's key could show it",
        cases: unissuable,
      }),
      ...itemIf(left > 0, { reason: "read-only: nothing is sent that could write", cases: left }),
    ],
    partialBecause: [
      ...(patterns.length > 0 ? [`only ${patterns.join(", ")} was selected`] : []),
      ...(only ? [`only ${only.what} was run`] : []),
      ...(facts.readOnly ? ["--read-only sends no PATCH and no POST"] : []),
      // What a pack is about may be optional, and then does not apply.
      ...(pack === undefined ? OPERATION_IDS : [])
        .filter((id) => !facts.operations[id])
        .map((id) => `${id} is not offered`),
      ...(facts.issued?.leavesOutTestIssuer ? ["testIssuer is false"] : []),
      ...(hasSubjectsOfClients(facts) ? ["`authorizationServer.subjects` is client"] : []),
    ],
    ...(pack !== undefined && { pack }),
    wantTestIssuer: selected.filter((planned) => planned.level === "MUST" && wantsKey(planned))
      .length,
    allMusts: countMusts(
      OPERATION_IDS.every((id) => facts.operations[id]) ? all : casesOf(whole(facts), rules),
    ),
  };
}

/** The plan of a run that only explores: no case, and the rules that may own those that it finds. */
export function planExploration(
  plan: Plan,
  rules: readonly Rule[],
  owners: ReadonlySet<string>,
): Plan {
  return {
    ...plan,
    cases: [],
    heads: rules.filter(({ id }) => owners.has(id)).map(ruleHead),
    excluded: [],
    partialBecause: [...plan.partialBecause, "--explore-only runs no case of the plan"],
    wantTestIssuer: 0,
  };
}

/** The part of a selection that is about some rules: patterns that match one of them, and names of their cases. */
export interface Selection {
  readonly patterns: readonly string[];
  readonly only?: NamedCases | undefined;
}

/**
 * Divides a selection among lists of rules, each of which has a run of its own. Of a list that nothing selects, no case runs.
 * @throws SuiteError when a pattern matches nothing in any list
 */
export function divideSelection(
  facts: Facts,
  lists: readonly (readonly Rule[])[],
  { patterns, only }: Selection,
): readonly Selection[] {
  const everything = lists.flat();
  const cases = casesOf(facts, everything);
  const matching = selectMatching(cases, everything, patterns);
  if (only) selectNamed(cases, matching, only);
  return lists.map((rules) => {
    const all = casesOf(facts, rules);
    const own = patterns.filter((pattern) => matchesSome(all, rules, pattern));
    const known = new Set(all.map(({ caseId }) => caseId));
    const names = only?.names.filter((name) => known.has(name));
    if (patterns.length > 0 && own.length === 0) {
      return { patterns: [], only: { names: [], what: patterns.join(", ") } };
    }
    return { patterns: own, ...(only && names && { only: { ...only, names } }) };
  });
}

function casesOf(facts: Facts, rules: readonly Rule[]): readonly NamedCase[] {
  return rules.flatMap((rule) =>
    rule.cases(facts).map((testCase) => ({ caseId: `${rule.id}/${testCase.id}`, rule, testCase })),
  );
}

/** The target as if it offered every operation. */
function whole(facts: Facts): Facts {
  const operations = Object.fromEntries(
    OPERATION_IDS.map((id) => [id, facts.operations[id] ?? {}]),
  ) as Facts["operations"];
  return { ...facts, operations };
}

function countMusts(cases: readonly NamedCase[]): number {
  return cases.filter(({ rule, testCase: { level = rule.level } }) => level === "MUST").length;
}

/** The head of a rule for plans and reports, with its clause in the contract. */
export function ruleHead(rule: Rule): RuleHead {
  return {
    id: rule.id,
    title: rule.title,
    level: rule.level,
    clause: rule.verifies ? requirement(rule.verifies[0]).clause : "",
    requirements: rule.verifies ?? [],
  };
}

function planCase(facts: Facts, { caseId, rule, testCase }: NamedCase): PlannedCase {
  const phase = testCase.phase ?? rule.phase ?? "probe";
  const { settled, open } = provisioned(facts, rule, testCase, phase);
  return { caseId, rule, testCase, level: testCase.level ?? rule.level, phase, settled, open };
}

/** What is known of a case before anything is sent. */
function provisioned(
  facts: Facts,
  rule: Rule,
  testCase: CaseData,
  phase: Phase,
): Pick<PlannedCase, "settled" | "open"> {
  const reason = whyInapplicable(facts, testCase);
  if (reason !== undefined) return { settled: Finding.notApplicable(reason), open: [] };
  const tokens = lackingTokens(facts, testCase);
  const needs = [
    ...needsOf(testCase, sideOf(rule) === "receiver" && phase !== "record"),
    ...tokens.map(({ need }) => need),
  ];
  const { lacks, open } = provisionOf(facts, needs);
  if (lacks.length === 0) return { open };
  const because = tokens.find((one) => one.because && lacks.includes(one.need))?.because;
  return { settled: { ...notProvisioned(...lacks), ...(because && { because }) }, open: [] };
}

function whyInapplicable(facts: Facts, testCase: CaseData): Phrase | undefined {
  const { operation, writes, inapplicable } = testCase;
  if (inapplicable !== undefined) return phrase`${inapplicable}`;
  for (const id of [operation, typeof writes === "object" ? writes.of : undefined]) {
    if (id !== undefined && !facts.operations[id]) return phrase`${id} is not offered`;
  }
  const unmakeable = onlyMutation(testCase)?.inapplicable?.(facts);
  return unmakeable === undefined ? undefined : phrase`${unmakeable}`;
}

/** Whether a case needs tokens that only a test issuer's key can make. */
function wantsKey({ settled }: Pick<PlannedCase, "settled">): boolean {
  return settled?.kind === "not-provisioned" && settled.keys.includes("testIssuer");
}

/** Whether the profile excludes a case because the deployment trusts no test issuer. */
function isLeftOut({ issued }: Facts, planned: PlannedCase): boolean {
  return issued?.leavesOutTestIssuer === true && wantsKey(planned);
}

/** The needs of all cases that the deployment may meet. */
export function openNeeds({ cases }: Plan): ReadonlySet<Need> {
  return new Set(cases.flatMap(({ open }) => open));
}

/**
 * Settles the open needs of a plan once the deployment has been looked at.
 * @param found the needs that the deployment meets; a case with another open need becomes not
 * provisioned
 */
export function settleOpen(plan: Plan, found: ReadonlySet<Need>): Plan {
  const cases = plan.cases.map((planned): PlannedCase => {
    const lacks = namedNeeds(planned.open.filter((need) => !found.has(need)));
    return lacks.length === 0 ? planned : { ...planned, settled: notProvisioned(...lacks) };
  });
  return { ...plan, cases };
}

/** About how many requests a case sends. */
export function sendsOf({ testCase: { sends = 1 } }: PlannedCase): number {
  return sends;
}
