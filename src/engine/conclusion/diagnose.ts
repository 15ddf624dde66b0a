import { idInRule, isNearRoute } from "../../contract/ids.ts";
import { OPERATION_IDS, type OperationId } from "../../contract/operations.ts";
import { countEach } from "../../lib/group-by.ts";
import { gistOf } from "../../probe/phrase.ts";
import type { CaseResult, Diagnosis } from "../events.ts";
import {
  type KnownFaults,
  partsOf,
  type Signature,
  TOGETHER,
  togetherInLibraries,
  withoutClient,
} from "./signatures.ts";

/** More faults than this that fit equally well explain nothing. */
const MOST_NAMED = 3;

type Broken = "fail" | "warn";

/** A case that was judged. */
interface Seen {
  /** The case id without the rule. */
  readonly id: string;
  readonly operation: OperationId | undefined;
  /** `undefined`: the case passed. */
  readonly broken: Broken | undefined;
  readonly gist: string | undefined;
}

/**
 * A fault that predicts the outcome of every case, including cases that the reference receiver's runs
 * do not have.
 */
interface Known {
  readonly signature: Signature;
  /** Whether it shows on every operation on which its rule tries the same thing. */
  readonly everywhere: boolean;
  /** The case ids that show it, without the operation, because a receiver may offer other operations. */
  readonly shownBy: ReadonlySet<string>;
  /** The outcome of a case in a receiver with this fault; `undefined` where the case passes. */
  readonly predict: (caseId: string) => Broken | undefined;
  /** Whether the outcome of a case is unknown. */
  readonly isOpen: (caseId: string) => boolean;
  /** The operations it is limited to, as the end of a sentence. */
  readonly where?: string;
}

/**
 * Finds the known faults that a receiver's failures look like. It reads the proof's table backwards.
 *
 * It looks at each rule by itself, so that it recognises independent faults. A fault fits when every
 * judged case has the outcome that it has in a receiver with that fault. A case that was not judged
 * contradicts nothing, but at least half of the cases that show a fault must have been judged. Beside
 * failures there may be warnings of other faults, and a fault's own warnings may be absent. A fault that shows everywhere in the reference
 * receiver may show on some routes only, where an implementation forgot a check.
 * @param results of a whole run
 * @param read returns all known faults; called when there is something to explain
 * Where none fits alone, two or three together may.
 * @returns diagnoses of failed rules, then of warned rules. A rule has several, at most three, where
 * the judged cases do not tell them apart, and none where nothing fits or too much does.
 */
export function diagnose(results: readonly CaseResult[], read: () => KnownFaults): Diagnosis[] {
  const broken = new Set(results.flatMap((one) => (brokenBy(one) ? [one.rule] : [])));
  if (broken.size === 0) return [];
  const { signatures: single, held } = read();
  const signatures = [...single, ...togetherInLibraries(single)];
  const failed = new Set(results.flatMap((one) => (brokenBy(one) === "fail" ? [one.rule] : [])));
  const failedFirst = [...broken].toSorted((a, b) => Number(failed.has(b)) - Number(failed.has(a)));
  return failedFirst.flatMap((rule) =>
    diagnoseRule(
      worstOfEach(results.flatMap((result) => (result.rule === rule ? seenIn(result) : []))),
      knownOf(
        signatures.filter((signature) => signature.rule === rule),
        held[rule] ?? [],
      ),
    ),
  );
}

function brokenBy({ outcome }: CaseResult): Broken | undefined {
  return outcome === "fail" || outcome === "warn" ? outcome : undefined;
}

function seenIn(result: CaseResult): Seen[] {
  const broken = brokenBy(result);
  if (broken === undefined && result.outcome !== "pass" && result.outcome !== "observed") return [];
  const id = idInRule(withoutClient(result.id));
  return [
    { id, operation: result.operation, broken, gist: result.actual && gistOf(result.actual) },
  ];
}

/** Each id once, although several clients of the authorization server are tried; a failure before a warning. */
function worstOfEach(seen: readonly Seen[]): Seen[] {
  const found = new Map<string, Seen>();
  for (const one of seen) {
    const known = found.get(one.id);
    if (!known || severity(one) > severity(known)) found.set(one.id, one);
  }
  return [...found.values()];
}

function severity({ broken }: Seen): number {
  return broken === "fail" ? 2 : broken === "warn" ? 1 : 0;
}

function knownOf(signatures: readonly Signature[], held: readonly string[]): Known[] {
  const shown = signatures.flatMap(({ fail = [], warn = [] }) => [...fail, ...warn]);
  const cases = new Map([...shown, ...held].map((id) => [id, partsOf(id).tried]));
  return signatures.map((signature) => {
    const { fail = [], warn = [], open: undecided = [] } = signature;
    const unknown = new Set(undecided);
    const own = new Map<string, Broken>([
      ...warn.map((id) => [id, "warn"] as const),
      ...fail.map((id) => [id, "fail"] as const),
    ]);
    // Whether a receiver without a check serves what is near a route depends on its router.
    const isOnRoutes = [...own.keys()].some((id) => !isNearRoute(id));
    // What a page shows depends on the size of the pages.
    const isOnPages = [...own.keys()].some(isOfPage) && ![...own.keys()].every(isOfPage);
    const isOpen = (id: string): boolean =>
      unknown.has(id) || (isOnRoutes && isNearRoute(id)) || (isOnPages && isOfPage(id));
    const byTried = new Map([...own].map(([id, broken]) => [partsOf(id).tried, broken]));
    const everywhere = [...cases].every(
      ([id, tried]) => own.has(id) || isOpen(id) || !byTried.has(tried),
    );
    const elsewhere = (id: string): Broken | undefined =>
      everywhere && !cases.has(id) ? byTried.get(partsOf(id).tried) : undefined;
    return {
      signature,
      everywhere,
      isOpen,
      shownBy: new Set(byTried.keys()),
      predict: (id) => own.get(id) ?? elsewhere(id),
    };
  });
}

function isOfPage(id: string): boolean {
  return /-page-\d+@/.test(id);
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
    if (fit.length > 0) return named(fit, seen);
  }
  return together(seen, worst === "fail" ? known.map(failuresAlone) : known, worst);
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
  const parts = largest(known.flatMap((one) => partOf(one, seen, what)));
  if (parts.length > MOST_PARTS) return [];
  for (let size = 2; size <= MOST_TOGETHER; size++) {
    const [first, ...others] = choices(parts, size).filter((some) => isWhole(some, broken));
    if (first) return others.length > 0 ? [] : [joined(first.map(({ known: one }) => one))];
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
    agrees && explains.size > 0 && wellTried(known, seen) && sharedGists(known, seen) !== "other";
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

function joined(parts: readonly Known[]): Diagnosis {
  const all = parts.map(({ signature }) => signature);
  return {
    fault: all.map(({ fault }) => fault).join(TOGETHER),
    rule: all[0]?.rule ?? "",
    behaves: all.map(({ behaves }) => behaves).join("; and "),
    look: all.map(({ look }) => look).join(" "),
  };
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

/** Whether the gists of the cases that show a fault are all of those that the reference receiver with it showed, some, or others. */
function sharedGists(one: Known, seen: readonly Seen[]): "all" | "some" | "other" {
  if (one.signature.saw === undefined) return "all";
  const saw = new Set(one.signature.saw.map(withoutStatus));
  const gists = gistsOf(one, seen);
  if (!gists.every((gist) => saw.has(gist))) return "other";
  return gists.length === saw.size ? "all" : "some";
}

function failuresAlone(known: Known): Known {
  return {
    ...known,
    predict: (id) => (known.predict(id) === "fail" ? "fail" : undefined),
  };
}

/** Restricts faults that show everywhere to the routes with something to explain. */
function onSomeRoutes(seen: readonly Seen[], known: readonly Known[], what: Broken): Known[] {
  const routes = new Set(
    seen.flatMap(({ broken, operation }) => (broken === what && operation ? [operation] : [])),
  );
  return known.flatMap((one) => (one.everywhere ? limited(one, routes, seen) : []));
}

function gistsOf({ predict }: Known, seen: readonly Seen[]): string[] {
  const gists = seen.flatMap(({ id, gist = "" }) => (predict(id) ? [withoutStatus(gist)] : []));
  return [...new Set(gists)];
}

/** What is wrong with an error answer is the same with every status, and stacks choose that differently. */
function withoutStatus(gist: string): string {
  return gist.replace(/^[45]\d\d: /, "");
}

/** Restricts a fault to some routes. Empty where it would show on no other route. */
function limited(known: Known, to: ReadonlySet<OperationId>, seen: readonly Seen[]): Known[] {
  const { signature, predict } = known;
  const held = new Set(
    seen.flatMap(({ id, operation }) =>
      operation && !to.has(operation) && predict(id) ? [operation] : [],
    ),
  );
  if (held.size === 0) return [];
  const own = [...(signature.fail ?? []), ...(signature.warn ?? [])].map(partsOf);
  const there = own.filter(({ operation }) => operation && to.has(operation));
  return [
    {
      ...known,
      shownBy: new Set((there.length > 0 ? there : own).map(({ tried }) => tried)),
      predict(id) {
        const { operation } = partsOf(id);
        return operation && to.has(operation) ? predict(id) : undefined;
      },
      where: `, on ${inOrder(to)} but not on ${inOrder(held)}`,
    },
  ];
}

function inOrder(operations: ReadonlySet<OperationId>): string {
  const [last, ...before] = OPERATION_IDS.filter((id) => operations.has(id)).toReversed();
  return before.length > 0 ? `${before.toReversed().join(", ")} and ${last}` : `${last}`;
}

function named(fit: readonly Known[], seen: readonly Seen[]): Diagnosis[] {
  // Where the deployment offers one of the routes alone, a fault and the same on that route are one.
  const known = fit.filter(
    ({ signature: { fault } }) =>
      !fit.some((other) => fault.startsWith(`${other.signature.fault}-on-`)),
  );
  if (known.length > MOST_NAMED || !known.every((one) => wellTried(one, seen))) return [];
  return known.map(({ signature, where = "" }) => {
    const { fault, rule, library, behaves, look, source } = signature;
    return {
      fault,
      rule,
      ...(library !== undefined && { library }),
      behaves: `${behaves}${where}`,
      look,
      ...(source !== undefined && { source }),
    };
  });
}

function wellTried({ shownBy, predict }: Known, seen: readonly Seen[]): boolean {
  const tried = new Set(seen.flatMap(({ id }) => (predict(id) ? [partsOf(id).tried] : [])));
  return tried.size * 2 >= shownBy.size;
}
