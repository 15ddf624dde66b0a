import { isDeepStrictEqual } from "node:util";

import { restsOnControls } from "../engine/confirm.ts";
import { judge, UNJUDGED } from "../engine/judge.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Difference } from "../probe/difference/difference.ts";
import type { Evidence, Finding } from "../probe/finding.ts";
import { inWords } from "../probe/phrase.ts";
import { onlyMutation } from "../probe/rule.ts";
import type { ReportCase } from "../report/report.ts";
import { isMadeDifference, isOfForm } from "./compare-request.ts";
import { isSamePhrase } from "./compare.ts";
import type { CheckedCase, ReplayContext } from "./context.ts";
import { isWronglyAccepted } from "./evidence-form.ts";
import type { Missing } from "./missing.ts";
import { acceptedTimes, isAcceptedShared, isAcceptedControl, sentAt } from "./recorded-controls.ts";
import { replay, type Replayed } from "./replay.ts";
import type { Note } from "./verification.ts";

/** Whether recorded tokens of a probe and of a control differ as is stated. */
function isRecordedDifference(
  difference: Difference,
  { probes, controls = [] }: Evidence = { probes: [] },
  exchanges: ReplayContext["exchanges"],
): boolean {
  if (difference.part !== "header" && difference.part !== "claim") return false;
  const { part, name, probe, control } = difference;
  const have = (ids: readonly string[], value: unknown): boolean =>
    ids.some((id) => {
      const { token } = exchanges.get(id)?.request ?? {};
      return isDeepStrictEqual(token?.[part === "claim" ? "claims" : "header"]?.[name], value);
    });
  return have(probes, probe) && (controls.length === 0 || have(controls, control));
}

/** Notes differences from the control that the request does not have, and a request that had to be rejected without any. */
function checkDifferences(
  { evidence: made }: Finding,
  { planned: { testCase }, one: { evidence }, context: { facts, exchanges }, note }: CheckedCase,
): void {
  const { differences = [] } = evidence ?? {};
  const isDecided = testCase.control?.bracket === "decides";
  if (isDecided && onlyMutation(testCase)?.refused && made && differences.length === 0)
    note("/evidence/differences", "its probe must differ from a good request");
  if (facts.issued || !made?.differences) return;
  for (const [at, difference] of differences.entries()) {
    if (isMadeDifference(difference, made.differences)) continue;
    // The tries of a case may rest on controls of several forms. One of them is made.
    const isFormed = "name" in difference && isOfForm(difference.name, facts);
    if (!isFormed || !isRecordedDifference(difference, evidence, exchanges))
      note(`/evidence/differences/${at}`, "its probe does not differ so from its control");
  }
}

/** Whether a case was judged again, or else what its rule asked for that the record does not have. */
export type Judged = "again" | Missing;

/** Outcomes by which neither a violation nor a pass counts. */
const LEFT_OUT: ReadonlySet<ReportCase["outcome"]> = new Set(["not-applicable", "not-provisioned"]);

/** Nothing was sent, or no try of the case counts. */
const NOTHING = { missing: "request" } as const;

/**
 * Judges a case again by its evidence, if its rule can be run on what is recorded. Notes where the result
 * differs from the report.
 */
export async function judgeAgain(checked: CheckedCase): Promise<Judged> {
  const { planned, one, context, note } = checked;
  const { evidence = { probes: [] } } = one;
  const isUnsent = one.code === "write-limit" && evidence.probes.length === 0;
  const isReplayed = one.code === undefined || isUnsent;
  const replayed = isReplayed ? await replay(planned, evidence, context) : NOTHING;
  if ("missing" in replayed) {
    const { shown } = "shown" in replayed ? replayed : {};
    if (shown && isHidden(shown, checked) && !controlLost(evidence, context.exchanges)) {
      const what =
        shown.kind === "fail" ? `a violation (${inWords(shown.actual)})` : "that it passed";
      note("/outcome", `its requests show ${what}, the report says ${one.outcome}`);
      return "again";
    }
    checkUnreplayed(checked);
    return replayed.missing;
  }
  const { finding, marks, controlled } = replayed;
  if (marks.incomplete && (finding.kind !== "fail" || one.outcome !== "pass")) return "run";
  if (replayed.unconfirmed) return judgeUnconfirmed(replayed, one, note);
  const expected = judge({ planned, ...replayed });
  if (one.blamedOn !== undefined) {
    // What a case found out before its request was not sent says nothing of what it would have been.
    if (evidence.probes.length === 0) return "run";
    const blameless = ["observed", "not-applicable", "not-provisioned"].includes(expected.outcome);
    if (blameless)
      note("/blamedOn", `its evidence shows ${expected.outcome}, which no rule allows`);
    return "again";
  }
  const isLost = (restsOnControls(finding) || replayed.flaky) && mayBeLost(checked);
  // Then it proves nothing. What is accepted changes from request to request, so its tries may rest on controls of several forms.
  if (isLost && controlLost(evidence, context.exchanges)) return "again";
  checkDifferences(finding, checked);
  for (const { id, what } of marks.differing)
    note("/evidence", `this case makes another ${what} than that of ${id}`);
  // Of issued tokens, no other like the control's may have been issued.
  if (isLost && (context.facts.issued || one.outcome === "observed")) return "request";
  const { bracket } = planned.testCase.control ?? {};
  if (bracket !== "before" && controlled && restsOnControls(finding)) {
    // A case that uses what others have sent need not name the controls of that.
    checkBracket(checked, bracket === "decides" ? [] : context.acceptedAt);
  }
  const different: Parameters<Note>[] = [];
  checkResult(expected, replayed, one, (...what) => different.push(what));
  // No evidence says which of several answers to one request was the one that counted.
  if (evidence.probes.length === 0 && different.length > 0) return "request";
  // A page that is not recorded may show a violation, and hides none.
  if (marks.doubtful && finding.kind !== "fail" && different.length > 0) return "answer";
  for (const what of different) note(...what);
  return "again";
}

/** Whether a result does not count what the requests of its case show. */
function isHidden(finding: Finding, { planned, one }: CheckedCase): boolean {
  const { outcome, blamedOn, flaky = false } = one;
  if (LEFT_OUT.has(outcome)) return true;
  const isOpen = outcome === "inconclusive" && blamedOn === undefined && !flaky;
  const isOther = judge({ planned, finding, flaky }).outcome !== outcome;
  const isGood = outcome === "pass" || outcome === "observed";
  return isOther && finding.kind === "fail" && (isOpen || isGood);
}

/** Checks that a case whose rule cannot be run on the record may have that outcome without it. */
function checkUnreplayed(checked: CheckedCase): void {
  const { planned, one, context, note } = checked;
  const { facts, exchanges } = context;
  const { testCase } = planned;
  const last = exchanges.get(one.evidence?.probes.at(-1) ?? "");
  if (one.outcome === "pass" && last && isWronglyAccepted(planned, last))
    note("/outcome", `the request ${last.id} had to be rejected, and was accepted`);
  if (testCase.control?.bracket !== "decides" || onlyMutation(testCase)?.remote) return;
  // If the suite signs the token, it is known before a run whether such a change can be made.
  if (!facts.issued && one.outcome === "not-applicable") {
    note("/outcome", "only the profile could say that it does not apply, and it does not");
  }
  if (!UNJUDGED.has(one.outcome) && !isRefusedUnmarked(checked)) {
    note("/evidence", "it is judged by its own answer, which its evidence lacks");
  }
}

/** What a run told more of a try, up to what it says of the second one; see `Probe.tellsMore`. */
const TOLD_MORE = /, already if .*?(?=, then |$)/;

/** Checks the outcome of the report, and its words where the outcome is right. */
function checkResult(
  expected: ReturnType<typeof judge>,
  { flaky, finding }: Replayed,
  one: ReportCase,
  note: Note,
): void {
  if (one.outcome !== expected.outcome) {
    const actual = expected.actual ?? expected.reason;
    const why = actual ? ` (${inWords(actual)})` : "";
    note(
      "/outcome",
      `its evidence shows ${expected.outcome}${why}, the report says ${one.outcome}`,
    );
    return;
  }
  // A reading that a line without trouble would have shown is not among the exchanges of the evidence.
  const isUnread = finding.kind === "observed" && finding.isUnread;
  for (const name of ["reason", "expected", "actual"] as const) {
    const words = expected[name] && inWords(expected[name]);
    // The record may lack what a run sent to restore something, or to tell more.
    const endsElse =
      (name === "actual" && (isUnread || words?.startsWith(`${one.actual}, `))) ||
      (name !== "expected" && words !== undefined && one[name]?.replace(TOLD_MORE, "") === words);
    if (!endsElse && !isSamePhrase(one[name], expected[name])) {
      note(`/${name}`, `by its evidence it is ${words === undefined ? "absent" : `"${words}"`}`);
    }
  }
  if ((one.flaky ?? false) !== flaky) {
    note("/flaky", `by its evidence two tries ${flaky ? "disagreed" : "did not disagree"}`);
  }
}

/** Whether a case may have lost its proof with a control. */
function mayBeLost(checked: CheckedCase): boolean {
  return checked.one.outcome === "inconclusive" || mayBeRefused(checked);
}

/** Whether a case observes that a good request without the suite's marks is refused. */
function mayBeRefused({ planned: { testCase }, one }: CheckedCase): boolean {
  return testCase.control?.unmarked === true && one.outcome === "observed";
}

/** Whether a case observes that a good request without the suite's marks is refused, and its evidence shows just that request. */
function isRefusedUnmarked(checked: CheckedCase): boolean {
  const { one, context } = checked;
  const { probes = [] } = one.evidence ?? {};
  const isOne = probes.length === 1 && mayBeRefused(checked);
  return isOne && controlLost({ probes, controls: probes }, context.exchanges);
}

/** Judges a violation without a second try: it is proof by itself, or was not confirmed. */
function judgeUnconfirmed({ finding }: Replayed, one: ReportCase, note: Note): Judged {
  const isProof = finding.kind === "fail" && finding.certainty === "proof";
  if (one.outcome === "inconclusive") return "confirmation";
  if (isProof && ["fail", "warn", "observed"].includes(one.outcome)) return "confirmation";
  note(
    "/outcome",
    `its evidence shows one violation and no second try, the report says ${one.outcome}`,
  );
  return "again";
}

/** Whether a control was refused after the probes, so that nothing is proven. */
export function controlLost(
  { controls = [] }: Evidence,
  exchanges: ReplayContext["exchanges"],
): boolean {
  return controls.some((id) => {
    const exchange = exchanges.get(id);
    return exchange !== undefined && isAcceptedControl(exchange) === false;
  });
}

/** Notes when no control was accepted before the probes, or none after them. */
function checkBracket({ one, context, note }: CheckedCase, others: readonly number[]): void {
  const { probes = [], controls = [] } = one.evidence ?? {};
  const sent = (ids: readonly string[]): Exchange[] =>
    ids.flatMap((id) => context.exchanges.get(id) ?? []);
  // The probe may be the control itself, or a request that cases share.
  const own = sent([...probes, ...controls]);
  const accepted = [...acceptedTimes(own), ...own.filter(isAcceptedShared).map(sentAt), ...others];
  const tried = sent(probes).map(sentAt);
  const [first, last] = [Math.min(...tried), Math.max(...tried)];
  if (!accepted.some((at) => at <= first)) {
    note("/evidence/controls", "no control was accepted before its probes");
  }
  if (!accepted.some((at) => at >= last)) {
    note("/evidence/controls", "no control was accepted after its probes");
  }
}
