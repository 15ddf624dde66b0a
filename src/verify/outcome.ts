import { isDeepStrictEqual } from "node:util";

import { requirement } from "../contract/requirements.ts";
import type { Outcome } from "../engine/events.ts";
import { judge } from "../engine/judge.ts";
import { type PlannedCase, ruleHead } from "../engine/plan.ts";
import { factInWords, inWords } from "../probe/phrase.ts";
import { unmetNeeds } from "../profile/need.ts";
import type { ReportCase } from "../report/report.ts";
import type { CheckedCase } from "./context.ts";
import { inOrder, isSamePhrase, isSameText } from "./verification.ts";

/** The members of a case that only some outcomes have. */
const OPTIONAL = ["reason", "code", "expected", "actual", "flaky", "blamedOn", "missing"] as const;
type Optional = (typeof OPTIONAL)[number];

/** For each outcome those that must be there, and those that may be. */
const TOLD: Readonly<
  Record<Outcome, { readonly must: readonly Optional[]; readonly may: readonly Optional[] }>
> = {
  fail: { must: ["expected", "actual"], may: ["flaky"] },
  warn: { must: ["expected", "actual"], may: ["flaky"] },
  pass: { must: [], may: ["reason"] },
  observed: { must: [], may: ["reason", "expected", "actual", "flaky"] },
  inconclusive: { must: ["reason"], may: ["flaky", "code", "blamedOn"] },
  "not-provisioned": { must: ["reason", "missing"], may: [] },
  "not-applicable": { must: ["reason"], may: [] },
};

/** Outcomes that no case of a level can have. */
const IMPOSSIBLE: Readonly<Record<PlannedCase["level"], readonly Outcome[]>> = {
  MUST: [],
  SHOULD: ["fail"],
  OBSERVE: ["fail", "warn", "pass"],
};

/** Notes where a case describes itself differently from the plan. */
export function checkHead({ planned: { rule, testCase, level }, one, note }: CheckedCase): void {
  const [main] = ruleHead(rule).requirements;
  const id = testCase.requirement ?? main;
  const verified = id === undefined ? undefined : requirement(id);
  const head = {
    title: testCase.title ?? rule.title,
    level,
    operation: testCase.operation,
    requirement: verified?.text,
    clause: verified?.clause,
    why: testCase.grounds?.why,
    source: testCase.grounds?.source,
  } satisfies Partial<ReportCase>;
  for (const [name, expected] of Object.entries(head)) {
    const told = one[name as keyof typeof head];
    // Only titles may hold what a profile says.
    if (name === "title" ? isSameText(told, expected) : told === expected) continue;
    note(`/${name}`, expected === undefined ? `there is no ${name}` : `it is "${expected}"`);
  }
}

/** Notes combinations of outcome, level and other members that cannot occur. */
export function checkForm({ planned: { level }, one, note }: CheckedCase): void {
  const { outcome } = one;
  if (IMPOSSIBLE[level].includes(outcome)) {
    note("/outcome", `no case of the level ${level} can have the outcome ${outcome}`);
  }
  const { must, may } = TOLD[outcome];
  for (const name of must) {
    if (one[name] === undefined) note("", `its outcome is ${outcome}, and it has no ${name}`);
  }
  for (const name of OPTIONAL) {
    if (one[name] === undefined || must.includes(name) || may.includes(name)) continue;
    note(`/${name}`, `a case with the outcome ${outcome} has none`);
  }
  for (const name of ["reason", "expected", "actual"] as const) {
    const pieces = (one.facts?.[name] ?? []).map(factInWords);
    if (pieces.length > 0 && !inOrder(pieces, one[name] ?? "")) {
      note(`/facts/${name}`, `its typed values are not those of the sentence in \`${name}\``);
    }
  }
}

/**
 * Notes where a case that the plan settles has another result, and where a case says that it lacks
 * something that the profile has.
 * @returns whether the plan has settled it
 */
export function checkSettled({ planned, one, context: { facts }, note }: CheckedCase): boolean {
  if (planned.settled) {
    const expected = judge({ planned, finding: planned.settled, flaky: false });
    const reason = expected.reason && inWords(expected.reason);
    if (one.outcome !== expected.outcome) {
      note("/outcome", `the profile alone settles it: ${expected.outcome}, ${reason}`);
    } else if (!isSamePhrase(one.reason, expected.reason)) note("/reason", `it is: ${reason}`);
    else if (!isDeepStrictEqual(one.missing, expected.missing)) {
      note("/missing", `it is ${JSON.stringify(expected.missing)}`);
    }
    return true;
  }
  if (one.outcome === "not-provisioned") {
    const missing = (one.missing ?? []) as PlannedCase["open"];
    // A write needs consent, and without it nothing that is found during a run counts as consent.
    const seen = { ...facts, consent: facts.writes };
    const there = missing.filter((key) => unmetNeeds(seen, [key]).length === 0);
    if (there.length > 0) note("/missing", `the profile has ${there.join(", ")}`);
  }
  return false;
}
