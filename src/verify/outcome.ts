import { isDeepStrictEqual } from "node:util";

import { requirement } from "../contract/requirements.ts";
import type { Outcome } from "../engine/events.ts";
import { judge } from "../engine/judge.ts";
import { type PlannedCase, ruleHead } from "../engine/plan.ts";
import { factInWords, inWords } from "../probe/phrase.ts";
import type { Facts } from "../profile/facts.ts";
import { unmetNeeds } from "../profile/need.ts";
import type { ReportCase } from "../report/report.ts";
import { inOrder, isSamePhrase, isSameText, type Note } from "./verification.ts";

/** For each outcome the members of a case that must be, may be, or must not be there. */
const TOLD_WITH: Readonly<Record<Outcome, readonly (keyof ReportCase)[]>> = {
  fail: ["expected", "actual", "flaky"],
  warn: ["expected", "actual", "flaky"],
  pass: ["reason"],
  observed: ["reason", "expected", "actual", "flaky"],
  inconclusive: ["reason", "flaky", "code", "blamedOn"],
  "not-provisioned": ["reason", "missing"],
  "not-applicable": ["reason"],
};
const MUST_TELL: Readonly<Record<Outcome, readonly (keyof ReportCase)[]>> = {
  fail: ["expected", "actual"],
  warn: ["expected", "actual"],
  pass: [],
  observed: [],
  inconclusive: ["reason"],
  "not-provisioned": ["reason", "missing"],
  "not-applicable": ["reason"],
};
const OPTIONAL = [
  "reason",
  "code",
  "expected",
  "actual",
  "flaky",
  "blamedOn",
  "missing",
] as const satisfies readonly (keyof ReportCase)[];

/** Outcomes that no case of a level can have. */
const IMPOSSIBLE: Readonly<Record<PlannedCase["level"], readonly Outcome[]>> = {
  MUST: [],
  SHOULD: ["fail"],
  OBSERVE: ["fail", "warn", "pass"],
};

/** Notes where a case describes itself differently from the plan. */
export function checkHead(
  { rule, testCase, level }: PlannedCase,
  one: ReportCase,
  note: Note,
): void {
  const [main] = ruleHead(rule).requirements;
  const id = testCase.requirement ?? main;
  const verified = id === undefined ? undefined : requirement(id);
  const head: Pick<
    ReportCase,
    "title" | "level" | "operation" | "requirement" | "clause" | "why" | "source"
  > = {
    title: testCase.title ?? rule.title,
    level,
    operation: testCase.operation,
    requirement: verified?.text,
    clause: verified?.clause,
    why: testCase.grounds?.why,
    source: testCase.grounds?.source,
  };
  for (const [name, expected] of Object.entries(head)) {
    const told = one[name as keyof typeof head];
    // Only titles may hold what a profile says.
    if (name === "title" ? isSameText(told, expected) : told === expected) continue;
    note(`/${name}`, expected === undefined ? `there is no ${name}` : `it is "${expected}"`);
  }
}

/** Notes combinations of outcome, level and other members that cannot occur. */
export function checkForm(planned: PlannedCase, one: ReportCase, note: Note): void {
  const { level } = planned;
  const { outcome } = one;
  if (IMPOSSIBLE[level].includes(outcome)) {
    note("/outcome", `no case of the level ${level} can have the outcome ${outcome}`);
  }
  for (const name of MUST_TELL[outcome]) {
    if (one[name] === undefined) note("", `its outcome is ${outcome}, and it has no ${name}`);
  }
  for (const name of OPTIONAL) {
    if (one[name] === undefined || TOLD_WITH[outcome].includes(name)) continue;
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
export function checkSettled(
  planned: PlannedCase,
  one: ReportCase,
  facts: Facts,
  note: Note,
): boolean {
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
