import { RULES } from "../../suites/index.ts";
import { authorizationServerSide } from "../authorization-server/index.ts";
import { withDocument } from "../document/with-document.ts";
import { TOGETHER } from "../engine/conclusion/signatures.ts";
import type { CaseResult, Outcome, RunEvent, Verdict } from "../engine/events.ts";
import { run } from "../engine/run.ts";
import { gistOf, inWords } from "../probe/phrase.ts";
import type { Rule } from "../probe/rule.ts";
import { FAULTS, startReference, VARIANTS } from "../reference/index.ts";
import { reportFrom, reportJson } from "../report/json.ts";
import type { Report } from "../report/report.ts";
import { verifyReport } from "../verify/verify.ts";
import { JWKS, SEED } from "./seed.ts";
import { targetOf } from "./target.ts";

/** The build of a reference receiver for one proof. */
export interface ReceiverBuild {
  readonly kind: "fault" | "variant" | "plain";
  /** Empty for the plain receiver; names of several faults or variants are joined by ` + `. */
  readonly name: string;
}

/** The results of the suite for one subject. */
export interface Proof {
  readonly subject: ReceiverBuild;
  readonly verdict: Verdict;
  /** Cases that failed or warned, with the outcome; in the order of the registry. */
  readonly seen: readonly {
    readonly id: string;
    readonly rule: string;
    readonly outcome: Outcome;
    /** What the case saw, without details that depend on the deployment. */
    readonly gist?: string | undefined;
  }[];
  /** Cases that passed or were observed. */
  readonly held: readonly Pick<CaseResult, "id" | "rule">[];
  /** Observations, of cases at every level. */
  readonly observed: readonly Pick<CaseResult, "rule" | "actual">[];
  /** Cases that were inconclusive. */
  readonly open: readonly Pick<CaseResult, "id" | "rule">[];
  readonly suiteErrors: readonly string[];
  /** Discrepancies that `verify` finds. There must be none, because the report is genuine. */
  readonly unfollowed: readonly string[];
}

/** Every subject: the plain receiver, each conforming variant, each fault. */
export const RECEIVER_BUILDS: readonly ReceiverBuild[] = [
  { kind: "plain", name: "" },
  ...VARIANTS.map(({ name }): ReceiverBuild => ({ kind: "variant", name })),
  ...FAULTS.map(({ name }): ReceiverBuild => ({ kind: "fault", name })),
];

/** A receiver with several conforming variants at once, or with several faults. */
export function combination(
  kind: "fault" | "variant",
  things: readonly { readonly name: string }[],
): ReceiverBuild {
  return { kind, name: things.map(({ name }) => name).join(TOGETHER) };
}

function namesIn({ name }: ReceiverBuild): readonly string[] {
  return name.split(TOGETHER);
}

/** How long a proof waits for effects that a receiver may show late. No fault needs longer. */
const PATIENCE_MS = 200;

/**
 * Runs rules against one new reference receiver.
 * @param patterns globs over rule ids; default: every rule
 * @param rules the registry; default: the suite's
 * @param only ids of cases to which the run is restricted; default: no restriction
 */
export async function prove(
  subject: ReceiverBuild,
  patterns: readonly string[] = [],
  rules: readonly Rule[] = RULES,
  only?: readonly string[],
): Promise<Proof> {
  const receiver = await startReference({
    jwks: JWKS,
    ...(subject.kind === "fault" && { faults: namesIn(subject) }),
    ...(subject.kind === "variant" && { variants: namesIn(subject) }),
  });
  try {
    const order: string[] = [];
    const judged = new Map<string, CaseResult>();
    const events: RunEvent[] = [];
    const finished = await run({
      target: await withDocument(targetOf(receiver.profile), { trusted: true }),
      rules,
      sides: [authorizationServerSide()],
      patterns,
      ...(only && { only: { names: only, what: "what the build can change" } }),
      seed: SEED,
      ...(subject.kind === "fault" && { patienceMs: PATIENCE_MS }),
      emit(event) {
        events.push(event);
        if (event.type === "run-planned") order.push(...event.caseIds);
        if (event.type === "case-judged") judged.set(event.result.id, event.result);
      },
    });
    const results = order.flatMap((id) => judged.get(id) ?? []);
    const ofOutcomes = (...outcomes: readonly Outcome[]): CaseResult[] =>
      results.filter(({ outcome }) => outcomes.includes(outcome));
    // The report as it is read back from its file.
    const report = JSON.parse(reportJson(reportFrom(events))) as Report;
    const { discrepancies } = await verifyReport(report, rules);
    return {
      subject,
      verdict: finished.verdict,
      seen: ofOutcomes("fail", "warn").map(({ id, rule, outcome, actual }) => ({
        id,
        rule,
        outcome,
        gist: actual && gistOf(actual),
      })),
      held: ofOutcomes("pass", "observed").map(({ id, rule }) => ({ id, rule })),
      observed: ofOutcomes("observed").map(({ rule, actual }) => ({ rule, actual })),
      open: ofOutcomes("inconclusive").map(({ id, rule }) => ({ id, rule })),
      suiteErrors: finished.suiteErrors,
      unfollowed: discrepancies.map(({ where, case: id = "", what }) => `${where} ${id}: ${what}`),
    };
  } finally {
    await receiver.close();
  }
}

/**
 * Runs some rules or cases against a receiver, and more only where they do not come out as they should: a few faults show only
 * in the requests of other rules, such as an edit in the feed or a refused media type.
 * @param patterns what to run, one after the other until the fault is caught; in the end all rules run
 */
export async function proveCaught(
  subject: ReceiverBuild,
  ...patterns: readonly string[]
): Promise<Proof> {
  for (const pattern of patterns) {
    const proof = await prove(subject, [pattern]);
    if (complaint(proof) === undefined) return proof;
  }
  return prove(subject);
}

/** Names of rules, each once. */
export function rulesOf(cases: readonly { readonly rule: string }[]): string[] {
  return [...new Set(cases.map(({ rule }) => rule))];
}

/** What is wrong with a proof, in a sentence; `undefined` when it is as expected. */
export function complaint(proof: Proof): string | undefined {
  const { subject, verdict } = proof;
  const caught = rulesOf(proof.seen);
  const [error] = proof.suiteErrors;
  if (error !== undefined) return `fault of the suite: ${error}`;
  const [unfollowed] = proof.unfollowed;
  if (unfollowed !== undefined) return `verify calls its report forged: ${unfollowed}`;
  if (subject.kind !== "fault") {
    // A selection of rules gives the verdict partial at best.
    if (verdict !== "conformant" && verdict !== "partial") {
      const why = proof.seen.map(({ id }) => id).join(", ") || rulesOf(proof.open).join(", ");
      return `conforms, but the verdict is ${verdict}: ${why}`;
    }
    const unexpected = caught.filter((rule) => !warnedOf(subject).includes(rule));
    return unexpected.length > 0 ? `conforms, but ${unexpected.join(", ")} warned` : undefined;
  }
  const fault = FAULTS.find(({ name }) => name === subject.name);
  if (!fault) return "is no fault of the reference receiver";
  if (fault.seenAs === "inconclusive") {
    // That the receiver goes down may be seen too, which depends on what is under way then.
    const others = caught.filter((rule) => rule !== "routes.reachable");
    return rulesOf(proof.open).includes(fault.rule) && others.length === 0
      ? undefined
      : `${fault.rule} should be inconclusive and no rule should fail; seen: ${others.join(", ")}`;
  }
  const { observed } = fault;
  if (observed !== undefined) {
    const told = proof.observed.some(
      ({ rule, actual }) =>
        rule === fault.rule && actual !== undefined && inWords(actual).includes(observed),
    );
    return told && caught.length === 0
      ? undefined
      : `${fault.rule} should observe "${observed}" and no rule should fail; seen: ${caught.join(", ")}`;
  }
  if (!caught.includes(fault.rule)) {
    return `missed by ${fault.rule}; ${caught.length > 0 ? `seen by ${caught.join(", ")}` : "not seen at all"}`;
  }
  const others = caught.filter((rule) => rule !== fault.rule);
  return others.length > 0 ? `also blamed on ${others.join(", ")}` : undefined;
}

/** The rules that may warn about a variant, or about one of several combined variants. */
function warnedOf(subject: ReceiverBuild): readonly string[] {
  const names = namesIn(subject);
  return VARIANTS.filter((variant) => names.includes(variant.name)).flatMap(
    ({ warned = [] }) => warned,
  );
}

/** Rules for which no fault exists that only they catch. */
export function unprovenRules(proofs: readonly Proof[]): string[] {
  const alone = new Set(
    proofs
      .filter(({ subject }) => subject.kind === "fault")
      .map(({ seen }) => rulesOf(seen))
      .filter(({ length }) => length === 1)
      .flat(),
  );
  // A rule that never judges is proven by its observations.
  for (const { rule, observed } of FAULTS) if (observed !== undefined) alone.add(rule);
  // A receiver that lets nobody in shows no violation of anything.
  return RULES.map(({ id }) => id).filter((id) => !alone.has(id));
}
