import { isDeepStrictEqual } from "node:util";

import { OPERATIONS } from "../contract/operations.ts";
import { restsOnControls } from "../engine/confirm.ts";
import type { Outcome } from "../engine/events.ts";
import { judge } from "../engine/judge.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import type { Difference } from "../probe/difference.ts";
import type { Evidence } from "../probe/finding.ts";
import { inWords } from "../probe/phrase.ts";
import { reception } from "../probe/reception.ts";
import type { ReportCase } from "../report/report.ts";
import { replay, type ReplayContext, type Replayed } from "./replay.ts";
import { isSameText, type Note } from "./verification.ts";

/** Notes what is wrong with the evidence of a case by itself. */
export function checkEvidence(
  { rule, phase }: PlannedCase,
  one: ReportCase,
  exchanges: ReplayContext["exchanges"],
  note: Note,
): void {
  const { probes = [], controls = [] } = one.evidence ?? {};
  for (const [name, ids] of Object.entries({ probes, controls })) {
    for (const [at, id] of ids.entries()) {
      if (!exchanges.has(id)) note(`/evidence/${name}/${at}`, `there is no exchange ${id}`);
    }
  }
  // Rules about the whole run, and those about the other side, may judge by what is no exchange of theirs.
  const sends = (rule.side ?? "receiver") === "receiver" && phase !== "record";
  const isJudged = !NO_ANSWER.has(one.outcome) && one.outcome !== "observed";
  if (sends && isJudged && probes.length === 0)
    note("/evidence", "nothing shows what was answered");
  if (new Set(probes).size < probes.length) note("/evidence/probes", "one is named twice");
  if (one.outcome === "pass") checkControls(one.evidence, exchanges, note);
  for (const [at, difference] of (one.evidence?.differences ?? []).entries()) {
    checkDifference(difference, one, exchanges, (where, what) =>
      note(`/evidence/differences/${at}${where}`, what),
    );
  }
}

/** What passes beside controls rests on all of them: each was accepted. */
function checkControls(
  evidence: Evidence | undefined,
  exchanges: ReplayContext["exchanges"],
  note: Note,
): void {
  for (const [at, id] of (evidence?.controls ?? []).entries()) {
    const exchange = exchanges.get(id);
    if (exchange && isControl(exchange) && !wasLetIn(exchange)) {
      note(`/evidence/controls/${at}`, `the control ${id} was not accepted`);
    }
  }
}

/** Whether it is a good request of an operation. */
function isControl({ caseId }: Exchange): boolean {
  return caseId.startsWith("control/") && caseId.replace("control/", "") in OPERATIONS;
}

/** Whether the status says that the request was accepted, though the rest of the answer may be lost. */
function wasLetIn({ response, fault }: Exchange): boolean {
  return reception({ status: fault?.status ?? response?.status ?? 0 }) === "accepted";
}

/** A member of the token is, in probe and control, what the difference says that it is. */
function checkDifference(
  difference: Difference,
  { evidence }: ReportCase,
  exchanges: ReplayContext["exchanges"],
  note: Note,
): void {
  if (difference.part !== "claim" && difference.part !== "header") return;
  // No parser keeps a member of this name that others could rely on.
  if (difference.name === "__proto__") return;
  const part = difference.part === "claim" ? "claims" : "header";
  const tokens = (evidence?.probes ?? []).map((id) => exchanges.get(id)?.request.token?.[part]);
  const told = tokens.filter((token) => token !== undefined);
  const fits = told.some((token) => isDeepStrictEqual(token[difference.name], difference.probe));
  if (told.length > 0 && !fits) {
    note("/probe", `no probe has this ${difference.part} ${difference.name}`);
  }
}

/** Outcomes that need no answer. */
const NO_ANSWER: ReadonlySet<Outcome> = new Set([
  "inconclusive",
  "not-provisioned",
  "not-applicable",
]);

/** Whether a case was judged again, or how far. */
export type Judged = "again" | "not";

/**
 * Judges a case again by its evidence, where its rule can be run on what is recorded, and notes where that comes to
 * something else than the report says.
 */
export async function judgeAgain(
  planned: PlannedCase,
  one: ReportCase,
  context: ReplayContext,
  note: Note,
): Promise<Judged> {
  const { evidence } = one;
  const { target } = context;
  const { byAnswer = false, mutation } = planned.testCase;
  const replayed =
    evidence && evidence.probes.length > 0 && one.code === undefined
      ? await replay(planned, evidence, context)
      : undefined;
  if (!evidence || !replayed) {
    // Whether such a change can be made at all is known before a run, where the suite signs it.
    if (byAnswer && !mutation?.remote && !target.issued && one.outcome === "not-applicable") {
      note("/outcome", "the profile does not say that it does not apply, and nothing else could");
    }
    const isOpen = NO_ANSWER.has(one.outcome) || isRefusedUnmarked(planned, one, context.exchanges);
    if (byAnswer && !mutation?.remote && !isOpen) {
      note("/evidence", "it is judged by its own answer, and this is not the evidence of that");
    }
    return "not";
  }
  if (replayed.unconfirmed) return judgeUnconfirmed(replayed, one, note);
  const { finding } = replayed;
  const expected = judge({ planned, ...replayed });
  if (one.blamedOn !== undefined) {
    const blameless = ["observed", "not-applicable", "not-provisioned"].includes(expected.outcome);
    if (blameless) note("/blamedOn", `its evidence shows ${expected.outcome}, which nobody takes`);
    return "again";
  }
  if (restsOnControls(finding) && mayBeLost(planned, one)) {
    return controlLost(evidence, context.exchanges) ? "again" : "not";
  }
  if (replayed.controlled && restsOnControls(finding)) {
    checkBracket(evidence, context.exchanges, note);
  }
  if (one.outcome !== expected.outcome) {
    const actual = expected.actual ?? expected.reason;
    const why = actual ? ` (${inWords(actual)})` : "";
    note(
      "/outcome",
      `its evidence shows ${expected.outcome}${why}, the report says ${one.outcome}`,
    );
    return "again";
  }
  for (const name of ["reason", "expected", "actual"] as const) {
    const words = expected[name] && inWords(expected[name]);
    if (!isSameText(one[name], words)) {
      note(`/${name}`, `by its evidence it is ${words === undefined ? "absent" : `"${words}"`}`);
    }
  }
  if ((one.flaky ?? false) !== replayed.flaky) {
    note(
      "/flaky",
      `by its evidence two tries ${replayed.flaky ? "disagreed" : "did not disagree"}`,
    );
  }
  return "again";
}

/** Whether what rests on controls may have come to nothing with one of them; that no unmarked one is taken is no fault. */
function mayBeLost(
  { testCase: { unmarked = false } }: PlannedCase,
  { outcome }: ReportCase,
): boolean {
  return outcome === "inconclusive" || (unmarked && outcome === "observed");
}

/** Whether a case shows that a good request is refused that is not marked as the suite's. */
function isRefusedUnmarked(
  { testCase: { unmarked = false } }: PlannedCase,
  { outcome, evidence }: ReportCase,
  exchanges: ReplayContext["exchanges"],
): boolean {
  const [id = "", ...others] = evidence?.probes ?? [];
  const exchange = exchanges.get(id);
  return (
    unmarked &&
    outcome === "observed" &&
    others.length === 0 &&
    exchange !== undefined &&
    isControl(exchange) &&
    !wasLetIn(exchange)
  );
}

/** A violation of which the second try left no trace: it is proof by itself, or was not confirmed. */
function judgeUnconfirmed({ finding }: Replayed, one: ReportCase, note: Note): Judged {
  const isProof = finding.kind === "fail" && finding.certainty === "proof";
  if (one.outcome === "inconclusive") return "not";
  if (isProof && ["fail", "warn", "observed"].includes(one.outcome)) return "not";
  note(
    "/outcome",
    `its evidence shows one violation and no second try, the report says ${one.outcome}`,
  );
  return "again";
}

/** Whether a control was refused after the probes, so that nothing is proven. */
function controlLost({ controls = [] }: Evidence, exchanges: ReplayContext["exchanges"]): boolean {
  return controls.some((id) => {
    const exchange = exchanges.get(id);
    return exchange !== undefined && isControl(exchange) && !wasLetIn(exchange);
  });
}

/** Notes where no accepted control comes before the probes, or none after them. */
function checkBracket(
  { probes, controls = [] }: Evidence,
  exchanges: ReplayContext["exchanges"],
  note: Note,
): void {
  const sent = (ids: readonly string[]): Exchange[] => ids.flatMap((id) => exchanges.get(id) ?? []);
  // What is probed may be the control itself.
  const accepted = sent([...probes, ...controls])
    .filter((exchange) => isControl(exchange) && wasLetIn(exchange))
    .map(sentAt);
  const tried = sent(probes).map(sentAt);
  const [first, last] = [Math.min(...tried), Math.max(...tried)];
  if (!accepted.some((at) => at <= first)) {
    note("/evidence/controls", "no control was accepted before its probes");
  }
  if (!accepted.some((at) => at >= last)) {
    note("/evidence/controls", "no control was accepted after its probes");
  }
}

/** Milliseconds since the epoch. */
function sentAt({ startedAt }: Exchange): number {
  return Date.parse(startedAt);
}
