import { MISTAKES } from "../../../model/mistakes.ts";
import type { Mistake } from "../../../model/mistakes/mistake.ts";
import type { CaseResult, Diagnosis } from "../../events.ts";
import { brokenBy } from "../seen.ts";
import { TOGETHER } from "../signatures.ts";
import type { Asked, AskedRun } from "./asked.ts";
import { compare, type Compared, deviates, type ToCompare } from "./compare.ts";

/** What the model of the contract says of the failures of a rule. */
export interface ByModel {
  /** The mistakes that explain most, as diagnoses; at most three, where the run does not tell them apart. */
  readonly diagnoses: readonly Diagnosis[];
  /** The names of mistakes that judged requests contradict, if only on some operations. */
  readonly contradicted: ReadonlySet<string>;
}

/** More mistakes than this that explain equally much explain nothing. */
const MOST_NAMED = 3;

/**
 * Explains the violations of one rule after another by the model: asks it about each request that the rule judged, with a mistake in place of
 * the right check. Nothing is named that a judged request contradicts.
 * @param asked the requests of the run
 * @returns a function of the results of one rule
 */
export function explainerByModel(asked: AskedRun): (results: readonly CaseResult[]) => ByModel {
  const compareOnce = comparer(asked);
  return (results) => explain(results, asked, compareOnce);
}

function explain(results: readonly CaseResult[], asked: AskedRun, compareOnce: Comparer): ByModel {
  const judged = results.filter(isJudgedByAnswer);
  const worst = judged.some((one) => brokenBy(one) === "fail") ? "fail" : "warn";
  const violated = judged.filter((one) => brokenBy(one) === worst);
  const own = [...new Set(judged.flatMap(({ evidence }) => evidence?.probes ?? []))].flatMap(
    (id) => asked.of(id) ?? [],
  );
  const mistakes = candidates(own);
  const compared = mistakes.flatMap((one) => compareOnce(one) ?? []);
  const everywhere = compared.filter(({ where }) => where === undefined);
  const named = new Set(everywhere.map(({ mistake: { fault } }) => fault));
  const contradicted = new Set(
    mistakes.map(({ fault }) => fault).filter((fault) => !named.has(fault)),
  );
  const explained = compared.flatMap((one) => explanationOf(one, violated, asked));
  return { diagnoses: choose(explained, violated), contradicted };
}

/** Compares a mistake with all requests of a run, of every rule. */
type Comparer = (mistake: Mistake) => Compared | undefined;

/**
 * What explains one rule, and is contradicted by what another one sent, is no explanation. So each mistake is compared once, with the
 * requests of all rules.
 */
function comparer(asked: AskedRun): Comparer {
  const known = new Map<Mistake, Compared | undefined>();
  let all: ToCompare | undefined;
  return (mistake) => {
    all ??= toCompare(asked);
    if (!known.has(mistake)) known.set(mistake, compare(mistake, all));
    return known.get(mistake);
  };
}

/** The requests of a run, of good ones that were accepted alike only the first. */
function toCompare(asked: AskedRun): ToCompare {
  const seen = new Set<string>();
  const requests = asked.all().filter(({ accepted, contract, operation, request, token }) => {
    if (!accepted || contract.says !== "accepted") return true;
    const { exp, iat, nbf, jti, ...claims } = token?.claims ?? {};
    const times = [exp, iat, nbf, jti].map((one) => typeof one);
    const key = JSON.stringify([operation, request.method, token?.header, claims, times]);
    const isNew = !seen.has(key);
    seen.add(key);
    return isNew;
  });
  return { requests, broken: requests.filter(deviates) };
}

function isJudgedByAnswer({ outcome, evidence }: CaseResult): boolean {
  return ["fail", "warn", "pass", "observed"].includes(outcome) && evidence !== undefined;
}

/** The mistakes of the checks by which the contract rejects what was accepted; of all, where something was rejected. */
function candidates(all: readonly Asked[]): Mistake[] {
  const parts = new Set(
    all
      .filter(deviates)
      .flatMap(({ contract }) =>
        contract.says === "rejected" ? contract.by.map(({ part }) => part) : Object.keys(MISTAKES),
      ),
  );
  return Object.entries(MISTAKES).flatMap(([part, some]) => (parts.has(part) ? some : []));
}

interface Explained extends Compared {
  /** The ids of the violated cases that it explains. */
  readonly cases: ReadonlySet<string>;
}

/** The violated cases of which a mistake explains every answer that breaks the contract. */
function explanationOf(
  one: Compared,
  violated: readonly CaseResult[],
  asked: AskedRun,
): Explained[] {
  const cases = violated.filter(({ evidence }) => {
    const probes = (evidence?.probes ?? []).flatMap((id) => asked.of(id) ?? []);
    const broken = probes.filter((probe) => deviates(probe));
    // A rule may judge what the model leaves open.
    return broken.length > 0
      ? broken.every(({ id }) => one.explains.has(id))
      : probes.some(({ id }) => one.agrees.has(id));
  });
  return cases.length > 0 ? [{ ...one, cases: new Set(cases.map(({ id }) => id)) }] : [];
}

/** The mistakes that explain most; where they leave something, with the one that explains most of that. */
function choose(explained: readonly Explained[], violated: readonly CaseResult[]): Diagnosis[] {
  const best = widest(explained);
  const [first] = best;
  if (!first || best.length > MOST_NAMED) return [];
  const rest = violated.filter(({ id }) => !first.cases.has(id)).map(({ id }) => id);
  const [second, ...others] =
    best.length === 1 ? widest(explained.flatMap((one) => only(one, rest))) : [];
  const isPart = second && others.length === 0 && second.cases.size * 2 >= rest.length;
  const both = isPart ? [second] : [];
  const whole = first.cases.size + (isPart ? second.cases.size : 0);
  if (whole * 2 < violated.length) return [];
  return best.map((one) => diagnosisOf([one, ...both], violated));
}

/**
 * Those that explain most violated cases; of these, most single requests, those that foretell most of them, and those that make fewest
 * other answers unlikely; of these, those that hold everywhere, a check that is not made at all, those that foretell most of what is open, and the plainer ones.
 */
function widest(explained: readonly Explained[]): Explained[] {
  const most = (some: readonly Explained[], size: (one: Explained) => number): Explained[] => {
    const greatest = Math.max(...some.map(size));
    return some.filter((one) => size(one) === greatest);
  };
  const byCases = most(explained, ({ cases }) => cases.size);
  const byRequests = most(byCases, ({ explains }) => explains.size);
  const byWord = most(byRequests, ({ foretells }) => foretells);
  const likeliest = most(byWord, ({ doubts }) => -doubts);
  const byPlace = most(likeliest, ({ where }) => (where ? 0 : 1));
  const simplest = most(byPlace, ({ mistake: { isAbsence } }) => (isAbsence ? 1 : 0));
  const byOpen = most(simplest, ({ agrees }) => agrees.size);
  const plainest = most(byOpen, ({ mistake: { isWider } }) => (isWider ? 0 : 1));
  const names = plainest.map(({ mistake: { fault } }) => fault);
  const named = plainest.filter(({ mistake: { fault } }, at) => names.indexOf(fault) === at);
  // Mistakes with words of their own come first. Of those that are made of parts, the first is the simplest.
  const own = named.filter(({ mistake: { isComposed } }) => !isComposed);
  return own.length > 0 ? own : named.slice(0, 1);
}

function only(one: Explained, rest: readonly string[]): Explained[] {
  const cases = new Set(rest.filter((id) => one.cases.has(id)));
  return cases.size > 0 ? [{ ...one, cases }] : [];
}

function diagnosisOf(parts: readonly Explained[], violated: readonly CaseResult[]): Diagnosis {
  const isExplained = ({ id }: CaseResult): boolean => parts.some(({ cases }) => cases.has(id));
  const leaves = violated.filter((one) => !isExplained(one)).map(({ id }) => id);
  const sources = [...new Set(parts.flatMap(({ mistake: { source } }) => source ?? []))];
  return {
    fault: parts.map(({ mistake: { fault } }) => fault).join(TOGETHER),
    rule: violated[0]?.rule ?? "",
    behaves: parts
      .map(({ mistake: { behaves }, where }) => `${behaves}${where ?? ""}`)
      .join("; and "),
    look: [...new Set(parts.map(({ mistake: { look } }) => look))].join(" "),
    ...(parts.length === 1 && sources[0] !== undefined && { source: sources[0] }),
    explains: violated.filter(isExplained).map(({ id }) => id),
    leaves,
    exact: leaves.length === 0,
  };
}
