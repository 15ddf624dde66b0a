import { HAS_BAILED, WAS_GIVEN_UP, WAS_TIMED_OUT } from "../engine/conclusion/verdict-text.ts";
import type { Outcome } from "../engine/events.ts";
import { judge } from "../engine/judge.ts";
import { type PlannedCase, ruleHead } from "../engine/plan.ts";
import type { Exchange } from "../http/exchange.ts";
import { dependsOnTime } from "../mutations/mutation.ts";
import type { UndecidedCode } from "../probe/finding.ts";
import { factInWords, inWords } from "../probe/phrase.ts";
import { reception } from "../probe/reception.ts";
import { mayWrite, onlyMutation, sideOf } from "../probe/rule.ts";
import { unmetNeeds } from "../profile/need.ts";
import { reportCase } from "../report/json.ts";
import type { Report } from "../report/report.ts";
import { compare, inOrder, isSamePhrase, isSameText } from "./compare.ts";
import type { CheckedCase, ReplayContext } from "./context.ts";
import { isWronglyAccepted } from "./evidence-form.ts";
import { isLetIn } from "./recorded-exchanges.ts";

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

/** What of a case the plan alone says. */
const HEAD = [
  "title",
  "operation",
  "client",
  "level",
  "requirement",
  "clause",
  "why",
  "source",
] as const;

/** Notes where a case describes itself differently from the plan. */
export function checkHead({ planned, one, note }: CheckedCase): void {
  const [main] = ruleHead(planned.rule).requirements;
  const unjudged = judge({ planned, finding: { kind: "pass" }, flaky: false });
  const own = reportCase(unjudged, main);
  const head = Object.fromEntries(HEAD.map((name) => [name, own[name]]));
  // Only titles may hold what a profile says.
  compare(one, head, note, (told, expected, where) =>
    where === "/title" ? isSameText(told as string, expected as string) : told === expected,
  );
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
    const { outcome, reason, missing } = judge({ planned, finding: planned.settled, flaky: false });
    compare(one, { outcome, missing }, note);
    if (!isSamePhrase(one.reason, reason)) note("/reason", `it is: ${reason && inWords(reason)}`);
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
