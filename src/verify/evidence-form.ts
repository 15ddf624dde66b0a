import { areaOf, controlledOperation, ruleOfCase, SHARED } from "../contract/ids.ts";
import { UNJUDGED } from "../engine/judge.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { mayWrite, onlyMutation, sideOf } from "../probe/rule.ts";
import { MOST_BESIDE_EVIDENCE } from "../report/json.ts";
import type { Report, ReportCase } from "../report/report.ts";
import type { CheckedCase } from "./context.ts";
import { isAcceptedControl } from "./recorded-controls.ts";
import { isLetIn, isUnclear, numberOf } from "./recorded-exchanges.ts";

/** Notes problems in the evidence of a case, without running its rule. */
export function checkEvidence(checked: CheckedCase): void {
  const { planned, one, context, note } = checked;
  const { rule, phase, caseId, testCase } = planned;
  const { probes = [], controls = [] } = one.evidence ?? {};
  const isReceivers = sideOf(rule) === "receiver";
  const hasPassed = one.outcome === "pass";
  // Rules about all answers, and rules about the authorization server, judge what others have sent, and a case may send nothing.
  const isOwn = isReceivers && phase !== "record";
  for (const [name, ids] of Object.entries({ probes, controls })) {
    for (const [at, id] of ids.entries()) {
      for (const what of problemsOf(id, name === "controls")) note(`/evidence/${name}/${at}`, what);
    }
  }
  const hasAnswer = !UNJUDGED.has(one.outcome) && one.outcome !== "observed";
  if (isOwn && testCase.sends !== 0 && hasAnswer && probes.length === 0)
    note("/evidence", "no exchange shows the answer");
  const isOfOthers = !isReceivers || areaOf(rule.id) === "errors";
  if (isOfOthers && hasPassed && probes.length + controls.length === 0)
    note("/evidence", "no exchange shows that it passed");
  if (new Set(probes).size < probes.length) note("/evidence/probes", "one is named twice");
  const senders = probes.map((id) => context.exchanges.get(id)?.caseId ?? caseId);
  const isOfOther = (sender: string): boolean => sender !== caseId && context.cases.has(sender);
  if (isOwn && hasPassed && senders.length > 0 && senders.every(isOfOther))
    note("/evidence/probes", "only other cases of its rule sent them");

  /** What is wrong with an exchange. A pass depends on all controls; one by the own answer on controls of its operation alone. */
  function problemsOf(id: string, isControl: boolean): string[] {
    const exchange = context.exchanges.get(id);
    if (!exchange) return [`there is no exchange ${id}`];
    if (!hasPassed) return [];
    const { caseId: sender } = exchange;
    const isDecided = testCase.control?.bracket === "decides";
    const isUnrelated = ![rule.id, SHARED, "control"].includes(ruleOfCase(sender));
    return [
      ...(isControl && isAcceptedControl(exchange) === false
        ? [`the control ${id} was not accepted`]
        : []),
      ...(isControl && isDecided && controlledOperation(sender) !== testCase.operation
        ? [`${id} is no good request for ${testCase.operation}`]
        : []),
      ...(isOwn && isUnrelated ? [`${sender} sent it, so it shows nothing about this case`] : []),
    ];
  }
}

/** The codes of cases that were not settled though they may have run. */
const NOT_SETTLED: ReadonlySet<ReportCase["code"]> = new Set([
  "time-limit",
  "lost-time",
  "bail",
  "beside-others",
]);

/** Outcomes that rest on the last request of a case. */
const DECIDED: ReadonlySet<ReportCase["outcome"]> = new Set(["pass", "fail", "warn"]);

/**
 * Notes where the result of a case that is judged by its own answers leaves one of them out: an accepted request that had to be
 * rejected, and that the result does not name; and a request between others that is not recorded.
 */
export function checkOwnRequests({ planned, one, context, note }: CheckedCase): void {
  const { caseId, testCase } = planned;
  const { senders, facts } = context;
  const own = senders.get(caseId) ?? [];
  if (testCase.control?.bracket !== "decides" || own.length === 0) return;
  const named = new Set(one.evidence?.probes);
  const isSettled = !NOT_SETTLED.has(one.code) && !["fail", "warn"].includes(one.outcome);
  const accepted = own.filter((exchange) => isWronglyAccepted(planned, exchange));
  const [hidden] = accepted;
  // A violation that is blamed on another rule may have been seen once more.
  if (isSettled && hidden && !accepted.some(({ id }) => named.has(id)))
    note("/outcome", `the request ${hidden.id} was accepted, and its evidence does not name it`);
  // An id may be given to a write that may not be sent, or to a request for which no token is issued.
  const sendsAll = facts.issued === undefined && facts.writes && !mayWrite(testCase);
  if (!sendsAll || !DECIDED.has(one.outcome) || named.size === 0) return;
  const numbers = own.filter(({ id }) => id.startsWith(`${caseId}~`)).map(numberOf);
  const missing = Math.max(0, ...numbers) - numbers.length;
  // If a case has sent more, only its evidence is recorded.
  if (missing > 0 && missing <= MOST_BESIDE_EVIDENCE)
    note("/evidence/probes", `${missing} of the requests before its last one are not recorded`);
}

/** The rules that pass a request of a route only if it is rejected, each about one check of the receiver. */
const OF_ONE_CHECK: ReadonlySet<string> = new Set(
  ["signature", "issuer", "audience", "expiry", "scope", "binding", "local-policy"].map(
    (name) => `receiver.${name}`,
  ),
);

/** Whether a case sent a request that had to be rejected, whatever else was answered, and it was accepted. */
export function isWronglyAccepted(
  { rule, testCase, caseId, level }: PlannedCase,
  exchange: Exchange,
): boolean {
  const mutation = onlyMutation(testCase);
  if (!mutation?.refused || level === "OBSERVE") return false;
  const { operation, request } = exchange;
  const isOfRoute = operation !== undefined && operation === testCase.operation;
  return (
    (testCase.control?.bracket === "decides" || (OF_ONE_CHECK.has(rule.id) && isOfRoute)) &&
    exchange.caseId === caseId &&
    request.token?.mutation === mutation.name &&
    !isUnclear(exchange) &&
    isLetIn(exchange)
  );
}

/** The observation that says that good requests were refused, though the same ones had been accepted. */
const REFUSED_GOOD = "answers.refused-good";

/** Whether nothing disturbed a run, so that no case was tried once more for it: neither a fault of the suite nor refused good requests. */
export function isSteady({ observations, suiteErrors }: Report): boolean {
  return suiteErrors.length === 0 && !observations.some(({ id }) => id === REFUSED_GOOD);
}
