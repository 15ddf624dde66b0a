import { isDeepStrictEqual } from "node:util";

import { totalsOf } from "../engine/conclusion/conclude.ts";
import { withoutPlace } from "../engine/conclusion/diagnose.ts";
import { readKnownFaults, TOGETHER, togetherInLibraries } from "../engine/conclusion/signatures.ts";
import {
  HAS_BAILED,
  verdictText,
  WAS_GIVEN_UP,
  WAS_INTERRUPTED,
  WAS_TIMED_OUT,
} from "../engine/conclusion/verdict-text.ts";
import type { CaseResult, Diagnosis, KnownFault } from "../engine/events.ts";
import { exitCode, verdictOf, worst } from "../engine/judge.ts";
import type { Plan } from "../engine/plan.ts";
import { capitalized } from "../lib/words.ts";
import { MISTAKES } from "../model/mistakes.ts";
import { PAGE_MISTAKES } from "../model/mistakes/pages.ts";
import { UNSTEADY } from "../model/mistakes/pages/items.ts";
import { allowedBy, covers, isTorn } from "../report/baseline.ts";
import { countCases } from "../report/json.ts";
import { casesOf, type Report } from "../report/report.ts";
import { compare } from "./compare.ts";
import type { Note, Verification } from "./verification.ts";

/** Notes what a report says beside its cases and does not follow from them: totals, diagnoses, observations and a baseline. */
export function checkConclusions(
  report: Report,
  plan: Plan | undefined,
  results: readonly CaseResult[],
  note: Note,
): Pick<Verification, "verdict" | "exitCode"> {
  checkDiagnoses(report, results, note);
  checkObservations(report, note);
  checkBaseline(report, note);
  return checkTotals(report, plan, results, note);
}

/** Notes each total that the engine does not make of the results. */
function checkTotals(
  report: Report,
  plan: Plan | undefined,
  results: readonly CaseResult[],
  note: Note,
): Pick<Verification, "verdict" | "exitCode"> {
  const {
    interrupted,
    suiteErrors,
    plan: { pack },
  } = report;
  const partialBecause = plan ? reasonsFor(report, plan) : report.partialBecause;
  const partial = partialBecause.length > 0;
  const { left = 0, ...totals } = plan
    ? totalsOf(plan, results, partialBecause)
    : { verdict: verdictOf(results, 0, partial) };
  compare(report, { counts: countCases(results), partialBecause, partial, ...totals }, note);
  for (const [at, { cases, ...told }] of report.rules.entries())
    compare(
      told,
      { outcome: worst(cases.map((one) => one.outcome)) },
      note,
      undefined,
      `/rules/${at}`,
    );
  const { verdict } = totals;
  if (plan && "scope" in totals) {
    const { wantTestIssuer } = plan;
    const {
      coverage,
      scope: { sides },
    } = totals;
    const course = { left, pack, partialBecause, coverage, wantTestIssuer, sides };
    const cause = causeIn(report);
    // Whether no good token was accepted does not follow from the cases.
    const possible = [false, true].map((blocked) =>
      verdictText(verdict, results, { ...course, blocked, cause }),
    );
    if (!possible.includes(report.verdictText))
      compare(report.verdictText, possible[0], note, undefined, "/verdictText");
  }
  return { verdict, exitCode: exitCode({ verdict, interrupted, suiteErrors }) };
}

/** Why cases could not be judged, as the verdict says, where a set-up problem begins with it. */
function causeIn({ verdictText: told, setup }: Report): string | undefined {
  const cause = /could not be judged: ([^]+?)\. /.exec(told)?.[1];
  const isTold = setup.some(
    ({ problem }) => cause !== undefined && problem.startsWith(capitalized(cause)),
  );
  return isTold ? cause : undefined;
}

/**
 * Reasons of a partial verdict. A report must state itself what ended its run early, because its
 * cases only show that they were not judged.
 */
function reasonsFor({ interrupted, partialBecause }: Report, plan: Plan): string[] {
  return [
    ...plan.partialBecause,
    ...(interrupted ? [WAS_INTERRUPTED] : []),
    ...[WAS_TIMED_OUT, WAS_GIVEN_UP, HAS_BAILED].filter((reason) =>
      partialBecause.includes(reason),
    ),
  ];
}

/** The mistakes of the model, which are of no rule. */
const ALL_MISTAKES: readonly Omit<KnownFault, "rule">[] = [
  ...Object.values(MISTAKES).flat(),
  ...PAGE_MISTAKES,
  UNSTEADY,
];
/** What limits a mistake to some requests, at the end of what is said of it. */
const LIMITED = /^, (?:on|beyond|if|with|for) [\w` ,-]+$/;

/** A diagnosis names known faults, in their words, of a rule that is violated. */
function checkDiagnoses({ diagnoses }: Report, results: readonly CaseResult[], note: Note): void {
  if (diagnoses.length === 0) return;
  const { signatures } = readKnownFaults();
  const known = [...signatures, ...togetherInLibraries(signatures)];
  const violated = results.filter(({ outcome }) => ["fail", "warn"].includes(outcome));
  const broken = new Set(violated.map(({ rule }) => rule));
  for (const [at, one] of diagnoses.entries()) {
    const mistakes = ALL_MISTAKES.map((mistake) => ({ ...mistake, rule: one.rule }));
    const own = [...known.filter(({ rule }) => rule === one.rule), ...mistakes];
    const names = [one.fault, withoutPlace(one.fault)];
    const whole = own.filter(({ fault }) => names.includes(fault));
    // The words may be those of the model, and where it was reported is known of the fault of the reference with the same name.
    const isOfSource = [undefined, ...whole.map(({ source }) => source)].includes(one.source);
    const fits = (isOfSource && whole.some((fault) => isSaid(one, fault))) || isJoined(one, own);
    if (!fits) note(`/diagnoses/${at}`, `no known fault of ${one.rule} is described so`);
    if (!broken.has(one.rule)) note(`/diagnoses/${at}/rule`, `${one.rule} is not violated`);
    checkReach(one, violated, (member, why) => note(`/diagnoses/${at}/${member}`, why));
  }
}

/** What a diagnosis explains and leaves are violations of its rule: all failures, or all warnings where nothing failed. */
function checkReach(
  { rule, explains, leaves = [], exact }: Diagnosis,
  violated: readonly CaseResult[],
  note: Note,
): void {
  if (explains === undefined) return;
  const own = violated.filter((one) => one.rule === rule);
  const failed = own.filter(({ outcome }) => outcome === "fail");
  const all = (failed.length > 0 ? failed : own).map(({ id }) => id);
  const told = [...explains, ...leaves];
  if (exact !== (leaves.length === 0)) note("exact", "it does not follow from `leaves`");
  if (new Set(told).size !== told.length) note("explains", "a case occurs twice");
  for (const id of told) if (!all.includes(id)) note("explains", `${id} is not violated so`);
  for (const id of all)
    if (!told.includes(id)) note("leaves", `${id} is neither here nor explained`);
}

/** A fault may show in some requests only, which its last words say. */
function isSaid({ behaves, look, library }: Diagnosis, fault: KnownFault): boolean {
  return (
    behaves.startsWith(fault.behaves) &&
    (behaves === fault.behaves || LIMITED.test(behaves.slice(fault.behaves.length))) &&
    isDeepStrictEqual([look, library], [fault.look, fault.library])
  );
}

/** Whether faults together are described as each of them is. A fault of the reference and one of the model may have one name. */
function isJoined({ fault, behaves, look }: Diagnosis, known: readonly KnownFault[]): boolean {
  const names = fault.split(TOGETHER);
  return (
    names.length > 1 &&
    names.every((name) =>
      known.some(
        (one) => one.fault === name && behaves.includes(one.behaves) && look.includes(one.look),
      ),
    )
  );
}

/** An observation with the id of a case says what the case observed. */
function checkObservations({ rules, observations }: Report, note: Note): void {
  const values = new Map(observations.map(({ id, value }) => [id, value]));
  for (const { id, outcome, actual } of casesOf({ rules })) {
    const seen = outcome === "observed" ? actual : undefined;
    const told = values.get(id);
    // More is redacted at the end of a run than at the end of a case.
    if (told === seen || `${told} ${seen}`.includes("[redacted")) continue;
    note(
      "/observations",
      seen === undefined ? `${id} observed nothing` : `${id} observed: ${seen}`,
    );
  }
}

/** Each failure is known to the baseline or not, and nothing else is. */
function checkBaseline({ baseline, rules, startedAt }: Report, note: Note): void {
  if (!baseline) return;
  const cases = casesOf({ rules });
  const { known, stale, blamed = 0 } = baseline;
  const failed = cases.flatMap(({ id, outcome }) => (outcome === "fail" ? [id] : []));
  const mayBeKnown = new Set([...failed, ...cases.filter(isTorn).map(({ id }) => id)]);
  for (const [at, { case: id, expires }] of known.entries()) {
    if (!mayBeKnown.has(id)) note(`/baseline/known/${at}`, `${id} did not fail`);
    if (expires !== undefined && expires < startedAt.slice(0, expires.length))
      note(`/baseline/known/${at}/expires`, "it was over when the run began");
  }
  const unknown = failed.filter((id) => ![...known, ...stale].some((entry) => covers(entry, id)));
  const follows = { unknown, blamed: allowedBy(known, cases).blamed.length };
  compare({ ...baseline, blamed }, follows, note, undefined, "/baseline");
}
