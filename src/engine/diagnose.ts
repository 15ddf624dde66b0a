import { OPERATION_IDS, type OperationId } from "../contract/operations.ts";
import { gistOf } from "../probe/phrase.ts";
import type { CaseResult, Diagnosis } from "./events.ts";
import { togetherInLibraries } from "./libraries.ts";
import { type KnownFaults, partsOf, type Signature } from "./signatures.ts";

/** More faults than these that fit equally well explain nothing. */
const MOST_NAMED = 3;

type Broken = "fail" | "warn";

/** A case that was judged. */
interface Seen {
  /** Without the rule. */
  readonly id: string;
  readonly operation: OperationId | undefined;
  /** `undefined`: it holds. */
  readonly broken: Broken | undefined;
  readonly gist: string | undefined;
}

/** A fault that can be asked about every case, those that the reference receiver's runs do not have too. */
interface Known {
  readonly signature: Signature;
  /** It shows on every operation on which its rule tries such a thing. */
  readonly everywhere: boolean;
  /** What shows it, without the operation: a receiver may offer others. */
  readonly shownBy: ReadonlySet<string>;
  /** What becomes of a case in a receiver with this fault. */
  readonly predict: (caseId: string) => Broken | undefined;
  /** Cases of which nobody knows. */
  readonly open: ReadonlySet<string>;
  /** Where it is limited to some operations: what to say of that. */
  readonly where?: string;
}

/**
 * The known faults that a receiver's failures look like: the proof's table read backwards.
 *
 * Each rule is looked at by itself, so that independent faults are each recognised. A fault fits when
 * every case that was judged came out as it does in a receiver with that fault. What was not judged
 * contradicts nothing; but where less than half of what shows a fault was tried, nothing is claimed.
 * Failures may have warnings of other faults beside them. A fault that shows everywhere in the
 * reference receiver may be on some routes only, where a check was forgotten.
 * @param results of a whole run
 * @param read gives all known faults; called when there is something to explain
 * @returns rules that failed before those that warned; at most three for a rule, which what was tried does not tell
 *   apart; none where nothing fits, or too much
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
      results.flatMap((result) => (result.rule === rule ? seenIn(result) : [])),
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
  const id = result.id.slice(result.rule.length + 1);
  return [
    { id, operation: result.operation, broken, gist: result.actual && gistOf(result.actual) },
  ];
}

function knownOf(signatures: readonly Signature[], held: readonly string[]): Known[] {
  const shown = signatures.flatMap(({ fail = [], warn = [] }) => [...fail, ...warn]);
  const cases = new Set([...shown, ...held]);
  return signatures.map((signature) => {
    const { fail = [], warn = [], open: undecided = [] } = signature;
    const open = new Set(undecided);
    const own = new Map<string, Broken>([
      ...warn.map((id) => [id, "warn"] as const),
      ...fail.map((id) => [id, "fail"] as const),
    ]);
    const byTried = new Map([...own].map(([id, broken]) => [partsOf(id).tried, broken]));
    const everywhere = [...cases].every(
      (id) => own.has(id) || open.has(id) || !byTried.has(partsOf(id).tried),
    );
    const elsewhere = (id: string): Broken | undefined =>
      everywhere && !cases.has(id) ? byTried.get(partsOf(id).tried) : undefined;
    return {
      signature,
      everywhere,
      open,
      shownBy: new Set(byTried.keys()),
      predict: (id) => own.get(id) ?? elsewhere(id),
    };
  });
}

function diagnoseRule(seen: readonly Seen[], known: readonly Known[]): Diagnosis[] {
  const worst = seen.some(({ broken }) => broken === "fail") ? "fail" : "warn";
  const attempts = [
    () => fitting(seen, known),
    // Warnings beside failures may be another fault's.
    () => fitting(seen, known, worst),
    () => fitting(seen, onSomeRoutes(seen, known, worst), worst),
  ];
  for (const attempt of attempts) {
    const fit = attempt();
    if (fit.length > 0) return named(fit, seen);
  }
  return [];
}

/**
 * The faults that agree with every case, and with what was seen in those that show them.
 * @param only explain these outcomes; of the other one there may be more. Default: both
 */
function fitting(seen: readonly Seen[], known: readonly Known[], only?: Broken): readonly Known[] {
  const agreeing = known.filter(
    (one) =>
      seen.some(({ id, broken }) => one.predict(id) && (only ?? broken) === broken) &&
      seen.every(({ id, broken }) => {
        const predicted = one.predict(id);
        const anothers = only !== undefined && predicted === undefined && broken !== only;
        return predicted === broken || anothers || one.open.has(id);
      }) &&
      gistsOf(one, seen).every((gist) => one.signature.saw?.includes(gist) ?? true),
  );
  const exactly = agreeing.filter((one) => {
    const { saw } = one.signature;
    return saw === undefined || saw.length === gistsOf(one, seen).length;
  });
  return exactly.length > 0 ? exactly : agreeing;
}

/** Faults that show everywhere in the reference receiver, limited to where there is anything to explain. */
function onSomeRoutes(seen: readonly Seen[], known: readonly Known[], what: Broken): Known[] {
  const routes = new Set(
    seen.flatMap(({ broken, operation }) => (broken === what && operation ? [operation] : [])),
  );
  return known.flatMap((one) => (one.everywhere ? limited(one, routes, seen) : []));
}

function gistsOf({ predict }: Known, seen: readonly Seen[]): string[] {
  const gists = seen.flatMap(({ id, gist = "" }) => (predict(id) ? [gist] : []));
  return [...new Set(gists)];
}

/** Nothing where the fault would show on no other route. */
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
      where: `, on ${inOrder(to)} though not on ${inOrder(held)}`,
    },
  ];
}

function inOrder(operations: ReadonlySet<OperationId>): string {
  const [last, ...before] = OPERATION_IDS.filter((id) => operations.has(id)).toReversed();
  return before.length > 0 ? `${before.toReversed().join(", ")} and ${last}` : `${last}`;
}

function named(known: readonly Known[], seen: readonly Seen[]): Diagnosis[] {
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
