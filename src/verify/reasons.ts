import { HAS_BAILED, WAS_GIVEN_UP, WAS_TIMED_OUT } from "../engine/conclusion/verdict-text.ts";
import type { PlannedCase } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { dependsOnTime } from "../mutations/mutation.ts";
import type { UndecidedCode } from "../probe/finding.ts";
import { reception } from "../probe/reception.ts";
import { mayWrite, onlyMutation, sideOf } from "../probe/rule.ts";
import type { Report } from "../report/report.ts";
import type { CheckedCase, ReplayContext } from "./context.ts";
import { isWronglyAccepted } from "./own-requests.ts";
import { isLetIn } from "./recorded-exchanges.ts";

/** An inconclusive case, the report that must bear out its reason, and its evidence. */
interface Undecided extends CheckedCase, Pick<ReplayContext, "report" | "facts"> {
  readonly probes: readonly Exchange[];
  readonly controls: readonly Exchange[];
}

/** For each code what contradicts it, as a sentence without its full stop; `undefined` if nothing does. */
const CONTRADICTION: Readonly<Record<UndecidedCode, (one: Undecided) => string | undefined>> = {
  "time-limit": ({ report }) => notEnded(report, WAS_TIMED_OUT),
  "lost-time": ({ report }) =>
    notEnded(report, WAS_GIVEN_UP) ?? notToldOf(report, "nothing says what was lost"),
  bail: ({ report }) =>
    notEnded(report, HAS_BAILED) ??
    (hasFailed(report) ? undefined : notToldOf(report, "no MUST is violated")),
  "write-limit": ({ facts, planned: { testCase } }) =>
    // A run that may not write sends nothing that might.
    facts.writes && isDecided(testCase) && !mayWrite(testCase) ? "it writes nothing" : undefined,
  crash: ({ report, probes }) => {
    if (probes.length === 0) return "no request is named that brought the deployment down";
    if (probes.every(({ response }) => response))
      return "an answer shows that the deployment did not go down";
    return notToldOf(report, "no set-up problem says that the deployment went down");
  },
  "refused-for-a-moment": ({ report, probes, controls }) => {
    if (probes.length === 0) return "no request is named that was refused";
    if (!controls.every(isAccepted)) return undefined;
    return notToldOf(report, "no good request was refused");
  },
  unconfirmed: ({ planned, probes }) => {
    const { rule, phase, testCase } = planned;
    const sends = sideOf(rule) === "receiver" && phase !== "record";
    if (probes.length === 0)
      return sends ? "no request is named that shows the violation" : undefined;
    // If time plays a part, one acceptance is no proof.
    const mutation = onlyMutation(testCase);
    const enough = mutation && dependsOnTime(mutation) ? 2 : 1;
    const isShown = probes.every((one) => isWronglyAccepted(planned, one));
    return isShown && probes.length >= enough
      ? "its requests were accepted, which confirms the violation"
      : undefined;
  },
  "beside-others": ({ one: { blamedOn } }) =>
    blamedOn === undefined ? "no rule takes the blame" : undefined,
};

/** Notes where nothing recorded bears out why a case is inconclusive. */
export function checkReason(checked: CheckedCase): void {
  const { planned, one, context, note } = checked;
  const { report, facts } = context;
  if (one.outcome !== "inconclusive") return;
  const named = (ids: readonly string[] = []): Exchange[] =>
    ids.flatMap((id) => report.exchanges[id] ?? []);
  const probes = named(one.evidence?.probes);
  const controls = named(one.evidence?.controls);
  if (one.code !== undefined) {
    const undecided = { ...checked, report, facts, probes, controls };
    const contradiction = CONTRADICTION[one.code](undecided);
    if (contradiction !== undefined) note("/code", contradiction);
    return;
  }
  // Of issued tokens, none may be had. A fault of the suite has no evidence.
  const hasOwnReason = facts.issued !== undefined || report.suiteErrors.length > 0;
  if (!isDecided(planned.testCase) || one.blamedOn !== undefined || hasOwnReason) return;
  if (probes.length > 0 || !controls.every(isAccepted) || !acceptsSome(report)) return;
  note("/evidence", "neither an answer nor a refused control shows why it is inconclusive");
}

/** Whether the outcome of a case follows from the answer to its own request. */
function isDecided({ control }: PlannedCase["testCase"]): boolean {
  return control?.bracket === "decides";
}

function notEnded({ partialBecause }: Report, reason: string): string | undefined {
  return partialBecause.includes(reason) ? undefined : "nothing else says that the run ended early";
}

/** What ends or disturbs a run is a problem of the set-up. */
function notToldOf({ setup }: Report, what: string): string | undefined {
  return setup.length > 0 ? undefined : what;
}

function hasFailed({ rules }: Report): boolean {
  return rules.some(({ cases }) => cases.some(({ outcome }) => outcome === "fail"));
}

/** Whether a good request was accepted. If none is, nothing is sent. */
function acceptsSome({ rules }: Report): boolean {
  return rules.some(({ cases }) =>
    cases.some(({ outcome, evidence }) => outcome === "pass" && evidence?.controls?.length),
  );
}

function isAccepted(exchange: Exchange): boolean {
  const status = exchange.response?.status ?? 0;
  return isLetIn(exchange) && reception({ status, exchange }) === "accepted";
}
