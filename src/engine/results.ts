import { assignBlame, type Blamable, certainFailures } from "./blame.ts";
import type { CaseResult, RunEvent } from "./events.ts";
import { judge } from "./judge.ts";
import type { PlannedCase } from "./plan.ts";
import type { Ran } from "./ran.ts";

/** What the cases of a run came to. A case has one result, which is told when nothing can change it any more: at the end. */
export interface Results {
  /** Keeps a case that has ended. What it found before is forgotten. */
  readonly settle: (ran: Ran) => void;
  /** The cases that have ended so far, each once. */
  readonly ran: () => readonly Ran[];
  /** What they come to if no other case ends, in the order of the plan, then those that exploration found. */
  readonly soFar: () => CaseResult[];
  /** Tells the result of each case, and returns all. */
  readonly tell: () => CaseResult[];
}

/** When a run ends at a violation of a MUST. */
export interface Bail {
  /** Whether a baseline lists a case as failing. Such a failure does not end the run. Default: none is listed. */
  readonly isKnown?: ((caseId: string) => boolean) | undefined;
  readonly end: () => void;
}

/**
 * Keeps the results of a run.
 * @param planned in the order of the registry
 * @param emit receives each failure as soon as it is seen, and all results in the end
 * @param bail default: no violation ends the run
 */
export function createResults(
  planned: readonly PlannedCase[],
  emit: (event: RunEvent) => void,
  bail?: Bail,
): Results {
  const cases: Blamable[] = [...planned];
  const known = new Set(planned.map(({ caseId }) => caseId));
  const byId = new Map<string, { readonly ran: Ran; readonly result: CaseResult }>();
  const failing = new Set<string>();
  const judged = (): CaseResult[] => cases.flatMap(({ caseId }) => byId.get(caseId)?.result ?? []);
  const soFar = (): CaseResult[] => assignBlame(judged(), cases);

  /** Whichever rule takes the blame in the end fails a MUST too, unless it is a known failure. */
  function endsRun({ isKnown }: Bail): boolean {
    if (!isKnown) return failing.size > 0;
    if ([...failing].every(isKnown)) return false;
    return certainFailures(judged(), cases).some(({ id }) => !isKnown(id));
  }

  return {
    settle(ran) {
      const result = judge(ran);
      const { id } = result;
      if (!known.has(id)) cases.push(ran.planned);
      known.add(id);
      byId.set(id, { ran, result });
      if (result.outcome === "fail" && !failing.has(id)) {
        failing.add(id);
        emit({ type: "case-failing", result });
      }
      if (bail && endsRun(bail)) bail.end();
    },
    ran: () => [...byId.values()].map(({ ran }) => ran),
    soFar,
    tell() {
      const results = soFar();
      for (const result of results) emit({ type: "case-judged", result });
      return results;
    },
  };
}
