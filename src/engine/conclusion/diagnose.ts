import { idInRule } from "../../contract/ids.ts";
import { countEach } from "../../lib/group-by.ts";
import type { CaseResult, Diagnosis } from "../events.ts";
import { type AskedRun, NOTHING_ASKED } from "./model/asked.ts";
import { explainerByModel } from "./model/explain.ts";
import { nearest } from "./nearest.ts";
import { type ExplainByPages, pagesExplained } from "./pages/explain-pages.ts";
import {
  diagnosisOf,
  failuresAlone,
  isOfBothSubjects,
  type Known,
  knownOf,
  onSomeRoutes,
  isWhollyTried,
  sharedGists,
  wellTried,
} from "./predictions.ts";
import { type Broken, brokenBy, type Seen, seenIn, worstOfEach } from "./seen.ts";
import { type KnownFaults, togetherInLibraries, withoutClient } from "./signatures.ts";

/** What a run sent and was shown. */
export interface RunToExplain {
  readonly asked: AskedRun;
  readonly byPages: ExplainByPages;
}

const NOTHING_SEEN: RunToExplain = {
  asked: NOTHING_ASKED,
  byPages: pagesExplained([], []),
};

/** More faults than this that fit equally well explain nothing. */
const MOST_NAMED = 3;

/**
 * Finds the known faults that a receiver's failures look like. It reads the proof's table backwards.
 *
 * It looks at each rule by itself, so that it recognises independent faults. A fault fits when every
 * judged case has the outcome that it has in a receiver with that fault. A case that was not judged
 * contradicts nothing, but at least half of the cases that show a fault must have been judged. Beside
 * failures there may be warnings of other faults, and a fault's own warnings may be absent. A fault that shows everywhere in the reference
 * receiver may show on some routes only, where an implementation forgot a check. Where none fits alone, two or three together may. Where
 * nothing fits, the nearest is named with what it leaves unexplained.
 * @param results of a whole run
 * @param read returns all known faults; called when there is something to explain
 * @param run what was sent and shown, for the model of the contract; default: nothing, so that only cases are compared
 * @returns diagnoses of failed rules, then of warned rules. A rule has several, at most three, where
 * the judged cases do not tell them apart, and none where nothing fits or too much does.
 */
export function diagnose(
  results: readonly CaseResult[],
  read: () => KnownFaults,
  { asked, byPages }: RunToExplain = NOTHING_SEEN,
): Diagnosis[] {
  const broken = new Set(results.flatMap((one) => (brokenBy(one) ? [one.rule] : [])));
  if (broken.size === 0) return [];
  const explainByModel = explainerByModel(asked);
  const { signatures: single, held } = read();
  const signatures = [...single, ...togetherInLibraries(single)];
  const failed = new Set(results.flatMap((one) => (brokenBy(one) === "fail" ? [one.rule] : [])));
  const failedFirst = [...broken].toSorted((a, b) => Number(failed.has(b)) - Number(failed.has(a)));
  return failedFirst.flatMap((rule) => {
    const own = results.filter((result) => result.rule === rule);
    const known = knownOf(
      signatures.filter((signature) => signature.rule === rule),
      held[rule] ?? [],
    );
    const model = explainByModel(own);
    const shown = byPages(rule);
    if (shown.diagnoses.length > 0) return [...shown.diagnoses];
    const isContradicted = (fault: string): boolean =>
      [model, shown].some(({ contradicted }) => contradicted.has(withoutPlace(fault)));
    const possible = known
      .filter(isSteadyIn(own))
      .filter(({ signature: { fault } }) => !isContradicted(fault));
    // Where the rule of a check failed, those about all checks fail with it, and in ways in which other faults break them too.
    if (ABOUT_ALL_CHECKS.has(rule) && [...failed].some(isAboutOneCheck)) {
      return model.diagnoses.filter(({ exact }) => exact);
    }
    return nearer(diagnoseRule(worstOfEach(own.flatMap(seenIn)), possible), model.diagnoses);
  });
}

function sourceOf({ fault, source }: Partial<Diagnosis> = {}): Partial<Diagnosis> {
  return { ...(fault !== undefined && { fault }), ...(source !== undefined && { source }) };
}

/** Rules that ask for each check whether something depends on it. */
const ABOUT_ALL_CHECKS: ReadonlySet<string> = new Set([
  "receiver.order",
  "receiver.oracle",
  "receiver.isolation",
  "receiver.outbound",
]);

function isAboutOneCheck(rule: string): boolean {
  return rule.startsWith("receiver.") && !ABOUT_ALL_CHECKS.has(rule);
}

/** The name of a fault without the one operation that it is limited to. */
export function withoutPlace(fault: string): string {
  return fault.replace(/-on-[a-zA-Z]+$/, "");
}

/**
 * Of what the signatures say and what the model says, that which explains more. Where both explain everything, the model has asked
 * about each request, but a signature may know where it was reported.
 */
function nearer(bySignature: readonly Diagnosis[], byModel: readonly Diagnosis[]): Diagnosis[] {
  const [signed] = bySignature;
  const [asked] = byModel;
  if (!signed || !asked) return [...bySignature, ...byModel];
  const more = (signed.explains?.length ?? 0) - (asked.explains?.length ?? 0);
  if (more > 0) return [...bySignature];
  if (more < 0) return [...byModel];
  const same = (one: Diagnosis): Diagnosis | undefined =>
    bySignature.find(({ fault }) => one.fault === withoutPlace(fault));
  return byModel.map((one) => ({ ...one, ...sourceOf(same(one)) }));
}

/** Whether a fault breaks no case that had two outcomes: a check that is missing or wrong decides the same each time. */
function isSteadyIn(results: readonly CaseResult[]): (known: Known) => boolean {
  const unsteady = results
    .filter(({ flaky }) => flaky)
    .map(({ id }) => idInRule(withoutClient(id)));
  return ({ predict, isOpen }) => !unsteady.some((id) => predict(id) && !isOpen(id));
}

function diagnoseRule(seen: readonly Seen[], known: readonly Known[]): Diagnosis[] {
  const worst = seen.some(({ broken }) => broken === "fail") ? "fail" : "warn";
  const attempts = [
    () => fitting(seen, known),
    // Warnings beside failures may belong to another fault.
    () => fitting(seen, known, worst),
    // Advice that the reference receiver with this fault disregards may be followed by other code.
    () => fitting(seen, known.map(failuresAlone), worst),
    () => fitting(seen, onSomeRoutes(seen, known, worst), worst),
  ];
  for (const attempt of attempts) {
    const fit = attempt();
    if (fit.length > 0) return named(fit, seen, worst);
  }
  const [likeSeen, likeKnown] = withoutSizes(seen, known);
  const alike = fitting(likeSeen, likeKnown, worst);
  if (alike.length > 0) return named(alike, likeSeen, worst);
  const counting = worst === "fail" ? known.map(failuresAlone) : known;
  const whole = together(seen, counting, worst);
  return whole.length > 0 ? whole : nearest(seen, counting, worst);
}

function unsized(gist: string): string {
  return gist.replaceAll(/=(?:n|>\d+)(?=[&:])/g, "=n");
}

/** What was seen and what is known, without the sizes of the numbers in queries: of several that fail, a case tells only the first. */
function withoutSizes(
  seen: readonly Seen[],
  known: readonly Known[],
): readonly [readonly Seen[], readonly Known[]] {
  return [
    seen.map(({ gist, ...one }) => ({ ...one, gist: gist === undefined ? gist : unsized(gist) })),
    known.map(({ signature, ...one }) => ({
      ...one,
      signature: { ...signature, ...(signature.saw && { saw: signature.saw.map(unsized) }) },
    })),
  ];
}

/** A fault that is part of the explanation, with the cases that it explains. */
interface Part {
  readonly known: Known;
  readonly explains: ReadonlySet<string>;
}

/** At most so many faults together explain the failures of a rule. */
const MOST_TOGETHER = 3;
/** More faults that could each be part of it explain nothing. */
const MOST_PARTS = 40;

/**
 * The two or three faults that together explain every failure of a rule, as one diagnosis. Each explains a failure that the
 * others do not, and no others of that number do so.
 */
function together(seen: readonly Seen[], known: readonly Known[], what: Broken): Diagnosis[] {
  const broken = new Set(seen.flatMap(({ id, broken: how }) => (how === what ? [id] : [])));
  const parts = firstOfLike(largest(known.flatMap((one) => partOf(one, seen, what))));
  if (parts.length > MOST_PARTS) return [];
  for (let size = 2; size <= MOST_TOGETHER; size++) {
    const [first, ...others] = choices(parts, size).filter((some) => isWhole(some, broken));
    if (first)
      return others.length > 0
        ? []
        : [
            diagnosisOf(
              first.map((part) => part.known),
              seen,
              what,
            ),
          ];
  }
  return [];
}

/** Whether nothing contradicts that a fault is part of the explanation. */
function partOf(known: Known, seen: readonly Seen[], what: Broken): Part[] {
  const agrees = seen.every(({ id, broken }) => {
    const predicted = known.predict(id);
    return predicted === undefined || predicted === broken || known.isOpen(id);
  });
  const explains = new Set(
    seen.flatMap(({ id, broken }) => (broken === what && known.predict(id) === what ? [id] : [])),
  );
  const isPart =
    agrees &&
    explains.size > 0 &&
    !isOfBothSubjects(explains, seen) &&
    wellTried(known, seen) &&
    sharedGists(known, seen) !== "other";
  return isPart ? [{ known, explains }] : [];
}

/** The parts that explain more than any other one does. */
function largest(parts: readonly Part[]): Part[] {
  return parts.filter(({ explains }) =>
    parts.every(
      (other) =>
        other.explains.size <= explains.size ||
        ![...explains].every((id) => other.explains.has(id)),
    ),
  );
}

/** Of the parts that explain the same, the first: the list of faults begins with the simple ones. */
function firstOfLike(parts: readonly Part[]): Part[] {
  const keys = parts.map(({ explains }) => [...explains].toSorted().join(" "));
  return parts.filter((_, at) => keys.indexOf(keys[at] ?? "") === at);
}

/** Every choice of so many of the parts. */
function choices(parts: readonly Part[], size: number): Part[][] {
  if (size === 0) return [[]];
  return parts.flatMap((part, at) =>
    choices(parts.slice(at + 1), size - 1).map((others) => [part, ...others]),
  );
}

/** Whether parts explain everything, and each of them something that the others do not. */
function isWhole(parts: readonly Part[], broken: ReadonlySet<string>): boolean {
  const times = countEach(parts.flatMap(({ explains }) => [...explains]));
  const isNeeded = ({ explains }: Part): boolean => [...explains].some((id) => times.get(id) === 1);
  return times.size === broken.size && parts.every(isNeeded);
}

/**
 * The faults that agree with every case and with the gists of the cases that show them.
 * @param only explain cases of this outcome; the other outcome may have other causes. Default: both.
 */
function fitting(seen: readonly Seen[], known: readonly Known[], only?: Broken): readonly Known[] {
  const agreeing = known.filter(
    (one) =>
      seen.some(({ id, broken }) => one.predict(id) && (only ?? broken) === broken) &&
      seen.every(({ id, broken }) => {
        const predicted = one.predict(id);
        const anothers = only !== undefined && predicted === undefined && broken !== only;
        return predicted === broken || anothers || one.isOpen(id);
      }) &&
      sharedGists(one, seen) !== "other",
  );
  const exactly = agreeing.filter((one) => sharedGists(one, seen) === "all");
  return exactly.length > 0 ? exactly : agreeing;
}

/** Whether two faults differ only in how the name of a header is spelled. */
function spelledAlike(one: string, other: string): boolean {
  const [stem, otherStem] = [one, other].map((name) => name.replace(/-(?:underscores|mixed)$/, ""));
  return stem === otherStem;
}

/** Whether two faults are one to a reader: they show in the same words, or differ only in spelling. */
function isAlike({ signature: one }: Known, { signature: other }: Known): boolean {
  return one.behaves === other.behaves || spelledAlike(one.fault, other.fault);
}

function named(fit: readonly Known[], seen: readonly Seen[], what: Broken): Diagnosis[] {
  // Where the deployment offers one of the routes alone, a fault and the same on that route are one. So are spellings of a header's name.
  const known = fit.filter(
    (one, at) =>
      !fit.some((other) => one.signature.fault.startsWith(`${other.signature.fault}-on-`)) &&
      fit.findIndex((other) => isAlike(other, one)) === at,
  );
  if (known.length > MOST_NAMED || !known.every((one) => wellTried(one, seen))) return [];
  // What would show in further cases, which were not judged, says more than the run does.
  const shown = known.filter((one) => isWhollyTried(one, seen));
  return (shown.length > 0 ? shown : known).map((one) => diagnosisOf([one], seen, what));
}
