import { isNearRoute } from "../../contract/ids.ts";
import type { OperationId } from "../../contract/operations.ts";
import type { Diagnosis } from "../events.ts";
import { placed } from "./places.ts";
import { type Broken, idsOf, type Seen } from "./seen.ts";
import { partsOf, type Signature, TOGETHER } from "./signatures.ts";

/**
 * A fault that predicts the outcome of every case, including cases that the reference receiver's runs
 * do not have.
 */
export interface Known {
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

export function knownOf(signatures: readonly Signature[], held: readonly string[]): Known[] {
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
    const byTried = new Map([...own].map(([id, broken]) => [partsOf(id).tried, broken]));
    // How much of a list a second subject sees depends on the deployment, so what shows to it in one list may show in another.
    const isUndecided = (id: string): boolean =>
      unknown.has(id) ||
      (!own.has(id) && id.startsWith("denied-") && byTried.has(partsOf(id).tried));
    const isOpen = (id: string): boolean =>
      isUndecided(id) || (isOnRoutes && isNearRoute(id)) || (isOnPages && isOfPage(id));
    const everywhere = [...cases].every(
      ([id, tried]) => own.has(id) || isOpen(id) || !byTried.has(tried),
    );
    const elsewhere = (id: string): Broken | undefined =>
      everywhere && (!cases.has(id) || isUndecided(id))
        ? byTried.get(partsOf(id).tried)
        : undefined;
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

/** Whether the gists of the cases that show a fault are all of those that the reference receiver with it showed, some, or others. */
export function sharedGists(one: Known, seen: readonly Seen[]): "all" | "some" | "other" {
  if (one.signature.saw === undefined) return "all";
  const saw = new Set(one.signature.saw.map(withoutStatus));
  const gists = gistsOf(one, seen);
  if (!gists.every((gist) => saw.has(gist))) return "other";
  return gists.length === saw.size ? "all" : "some";
}

export function failuresAlone(known: Known): Known {
  return {
    ...known,
    predict: (id) => (known.predict(id) === "fail" ? "fail" : undefined),
  };
}

function gistsOf({ predict }: Known, seen: readonly Seen[]): string[] {
  const gists = seen.flatMap(({ id, gist = "" }) => (predict(id) ? [withoutStatus(gist)] : []));
  return [...new Set(gists)];
}

/** What is wrong with an error answer is the same with every status and every charset, and stacks choose those differently. */
function withoutStatus(gist: string): string {
  return gist
    .replace(/^[45]\d\d: /, "")
    .replaceAll(/; ?charset=[\w-]+/gi, "")
    .replaceAll(/status is \d+ in an answer of \d+/g, "status is another one");
}

/** Restricts faults that show everywhere to the routes with something to explain. */
export function onSomeRoutes(
  seen: readonly Seen[],
  known: readonly Known[],
  what: Broken,
): Known[] {
  const routes = new Set(
    seen.flatMap(({ broken, operation }) => (broken === what && operation ? [operation] : [])),
  );
  return known.flatMap((one) => (one.everywhere ? limited(one, routes, seen) : []));
}

/** Restricts a fault to some routes. Empty where it would show on no other route. */
export function limited(
  known: Known,
  to: ReadonlySet<OperationId>,
  seen: readonly Seen[],
): Known[] {
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
      where: placed(to, held),
    },
  ];
}

/** Whether cases are about a second subject, and broken for the first one too: then no fault of second subjects explains them. */
export function isOfBothSubjects(cases: ReadonlySet<string>, seen: readonly Seen[]): boolean {
  const broken = new Set(seen.flatMap(({ id, broken: how }) => (how ? [id] : [])));
  return [...cases].every(
    (id) => id.startsWith("denied-") && broken.has(id.replace("denied-", "")),
  );
}

/** Whether at least half of what shows a fault was judged. */
export function wellTried(known: Known, seen: readonly Seen[]): boolean {
  return triedOf(known, seen) * 2 >= known.shownBy.size;
}

export function isWhollyTried(known: Known, seen: readonly Seen[]): boolean {
  return triedOf(known, seen) >= known.shownBy.size;
}

function triedOf({ predict }: Known, seen: readonly Seen[]): number {
  return new Set(seen.flatMap(({ id }) => (predict(id) ? [partsOf(id).tried] : []))).size;
}

/** Faults of one receiver as a diagnosis, with the violations of a kind that they explain and leave. */
export function diagnosisOf(
  together: readonly Known[],
  seen: readonly Seen[],
  what: Broken,
): Diagnosis {
  const signatures = together.map(({ signature }) => signature);
  const [{ library, source } = {}, ...others] = signatures;
  const isExplained = (one: Seen): boolean => together.some((known) => isShownBy(known, one));
  const leaves = idsOf(
    seen.filter((one) => !isExplained(one)),
    what,
  );
  return {
    fault: signatures.map(({ fault }) => fault).join(TOGETHER),
    rule: signatures[0]?.rule ?? "",
    ...(others.length === 0 && library !== undefined && { library }),
    behaves: together
      .map(({ signature: { behaves }, where = "" }) => `${behaves}${where}`)
      .join("; and "),
    look: signatures.map(({ look }) => look).join(" "),
    ...(others.length === 0 && source !== undefined && { source }),
    explains: idsOf(seen.filter(isExplained), what),
    leaves,
    exact: leaves.length === 0,
  };
}

/** Whether a case was violated as it is in a receiver with this fault. */
export function isShownBy(
  { predict, signature: { saw } }: Known,
  { id, gist = "" }: Seen,
): boolean {
  return (
    predict(id) !== undefined &&
    (saw === undefined || saw.some((one) => withoutStatus(one) === withoutStatus(gist)))
  );
}
