import type { OperationId } from "../../contract/operations.ts";
import type { Diagnosis } from "../events.ts";
import {
  diagnosisOf,
  isOfBothSubjects,
  isShownBy,
  type Known,
  limited,
  wellTried,
} from "./predictions.ts";
import type { Broken, Seen } from "./seen.ts";

/** More faults than this that explain equally much explain nothing. */
const MOST_NAMED = 3;

/** A fault that nothing contradicts, with the violated cases that it explains. */
interface Candidate {
  readonly known: Known;
  readonly explains: ReadonlySet<string>;
}

/**
 * The faults that explain most of a rule's violations, at least half of them, where none explains all. No judged case contradicts
 * them: a case that holds, although the fault breaks it, on an operation that the fault is about. Where two explain
 * more than one does, they are named together. Of those that explain equally much, the most specific are named.
 * @param what the violations to explain
 */
export function nearest(seen: readonly Seen[], known: readonly Known[], what: Broken): Diagnosis[] {
  const broken = seen.filter((one) => one.broken === what);
  const candidates = known.flatMap((one) => candidate(one, seen, broken, what));
  const best = widest(candidates);
  const [first] = best;
  if (!first || best.length > MOST_NAMED) return [];
  const rest = broken.filter(({ id }) => !first.explains.has(id));
  const beside = best.length === 1 ? widest(candidates.flatMap((one) => onlyOf(one, rest))) : [];
  const [second, ...others] = beside;
  const both =
    second && others.length === 0 && second.explains.size * 2 >= rest.length ? [second.known] : [];
  const explained = first.explains.size + (both.length > 0 ? (second?.explains.size ?? 0) : 0);
  if (explained * 2 < broken.length) return [];
  return best.map((one) => diagnosisOf([one.known, ...both], seen, what));
}

function candidate(
  known: Known,
  seen: readonly Seen[],
  broken: readonly Seen[],
  what: Broken,
): Candidate[] {
  const fits = whereItHolds(known, seen, what);
  if (!fits || !wellTried(fits, seen)) return [];
  const explains = broken.filter((one) => isShownBy(fits, one)).map(({ id }) => id);
  const own = new Set(explains);
  return own.size > 0 && !isOfBothSubjects(own, seen) ? [{ known: fits, explains: own }] : [];
}

/** The fault where nothing contradicts it: everywhere, or on some operations, as where a check was forgotten. */
function whereItHolds(known: Known, seen: readonly Seen[], what: Broken): Known | undefined {
  const against = seen.filter((one) => contradicts(known, one, what));
  if (against.length === 0) return known;
  const without = new Set(against.map(({ operation }) => operation));
  const on = new Set(
    seen.flatMap((one): OperationId[] =>
      one.operation && !without.has(one.operation) && isShownBy(known, one) && one.broken === what
        ? [one.operation]
        : [],
    ),
  );
  const showsElsewhere = seen.some(
    (one) =>
      one.operation && !on.has(one.operation) && one.broken === what && known.predict(one.id),
  );
  if (!known.everywhere || on.size === 0 || showsElsewhere) return undefined;
  return limited(known, on, seen)[0];
}

/** Whether a case holds that the fault breaks, or is violated in another way. An error of the server is another way than the failure of a check. */
function contradicts(known: Known, one: Seen, what: Broken): boolean {
  const predicted = known.predict(one.id);
  if (predicted === undefined || known.isOpen(one.id)) return false;
  if (predicted === "fail" && one.broken === "warn" && isServerError(one)) return true;
  if (predicted !== what) return false;
  return one.broken === undefined || (one.broken === what && !isShownBy(known, one));
}

/** Whether the answer was an error of the server, perhaps told after the query of its request. */
function isServerError({ gist = "" }: Seen): boolean {
  return /(?:^|: )5\d\d\b/.test(gist);
}

/** The candidates that explain most; of these, those that say least of other cases, each in other words. */
function widest(candidates: readonly Candidate[]): Candidate[] {
  const most = Math.max(0, ...candidates.map(({ explains }) => explains.size));
  const equal = candidates.filter(({ explains }) => explains.size === most);
  const narrowest = Math.min(...equal.map(({ known }) => known.shownBy.size));
  const named = equal.filter(({ known }) => known.shownBy.size === narrowest);
  const words = named.map(({ known: { signature, where = "" } }) => `${signature.behaves}${where}`);
  return named.filter((_, at) => words.indexOf(words[at] ?? "") === at);
}

/** A candidate for the violations that another one leaves. */
function onlyOf({ known, explains }: Candidate, rest: readonly Seen[]): Candidate[] {
  const own = rest.filter(({ id }) => explains.has(id)).map(({ id }) => id);
  return own.length > 0 ? [{ known, explains: new Set(own) }] : [];
}
