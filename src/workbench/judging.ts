import type { CaseResult, Outcome } from "../engine/events.ts";
import { Interrupted } from "../http/client.ts";
import { SuiteError } from "../lib/errors.ts";
import type { Report } from "../report/report.ts";
import { printable } from "../report/untrusted.ts";
import type {
  CaseDetail,
  CaseState,
  JudgeAnswer,
  JudgeRequest,
  RuleState,
  WorkbenchEvent,
} from "./api.ts";
import {
  caseDetail,
  caseState,
  casesById,
  casesToShow,
  type FoundCase,
  ruleStates,
} from "./cases.ts";
import { Refusal } from "./received.ts";
import type { StartTarget } from "./start.ts";

/** Runs cases again, as `replay` does. */
export interface Engine {
  /**
   * Whether a case may send a PATCH or POST; `undefined` where no rule lists it. Such a case cannot be judged again.
   */
  mayWrite(id: string): boolean | undefined;
  /**
   * Judges cases of a report again, in one run.
   * @param onJudged is told each result, some of them more than once
   * @throws SuiteError when the target cannot be used
   */
  run(
    ids: readonly string[],
    readOnly: boolean,
    onJudged: (result: Pick<CaseResult, "id" | "outcome">) => void,
  ): Promise<Report>;
}

/** The cases of a report, and what became of them since. */
export interface Judging {
  rules(): RuleState[];
  /** Throws Refusal for a case that the report does not have. */
  detail(id: string, target: StartTarget | undefined): CaseDetail;
  readonly underWay: readonly string[];
  /** Begins to judge, and returns at once. Throws Refusal where nothing is chosen. */
  begin(request: JudgeRequest): JudgeAnswer;
  /** Judges all that does not pass, because files changed. Waits for what is under way. */
  again(readsOnly: boolean): Promise<void>;
}

const SETTLED: ReadonlySet<Outcome> = new Set(["pass", "observed", "not-applicable"]);

/**
 * @param engine absent: nothing can be judged again
 * @param tell is told what happens
 */
export function createJudging(
  report: Report,
  engine: Engine | undefined,
  tell: (event: WorkbenchEvent) => void,
): Judging {
  const all = casesById(report);
  const shown = casesToShow(report);
  /** By id, of the last time that it was judged. */
  const latest = new Map<string, FoundCase>();
  let underWay: readonly string[] = [];
  let ended: Promise<void> = Promise.resolve();
  let isAgainWanted = false;

  function stateOf({ one }: FoundCase): CaseState {
    const now = latest.get(one.id)?.one;
    return caseState(one, now, now ?? one, engine?.mayWrite(one.id));
  }

  const outcomeOf = ({ one }: FoundCase): Outcome => (latest.get(one.id)?.one ?? one).outcome;

  function idsOf({ cases = [], rules = [], failed }: JudgeRequest): string[] {
    const unknown = cases.find((id) => !all.has(id));
    if (unknown !== undefined) {
      throw new Refusal(404, `The report has no case ${printable(unknown, 200)}.`);
    }
    const chosen = shown.filter(
      (found) => rules.includes(found.rule.id) || (failed && !SETTLED.has(outcomeOf(found))),
    );
    return [...new Set([...cases, ...chosen.map(({ one }) => one.id)])];
  }

  async function run(
    ids: readonly string[],
    readOnly: boolean,
    by: "click" | "watch",
    runner: Engine,
  ): Promise<void> {
    underWay = ids;
    tell({ type: "judging", cases: ids, by });
    try {
      const wanted = new Set(ids);
      const judged = await runner.run(ids, readOnly, ({ id, outcome }) => {
        const found = all.get(id);
        // The evidence comes with the report.
        if (found && wanted.has(id))
          tell({ type: "judged", case: { ...stateOf(found), now: outcome } });
      });
      for (const [id, found] of casesById(judged)) if (all.has(id)) latest.set(id, found);
      underWay = [];
      for (const id of ids) {
        const found = all.get(id);
        if (found && latest.has(id)) tell({ type: "judged", case: stateOf(found) });
      }
      const [setup] = judged.setup;
      tell({
        type: "idle",
        ...(setup && { problem: printable(setup.problem), hint: printable(setup.remedy) }),
      });
    } catch (error) {
      underWay = [];
      tell({ type: "idle", ...problemOf(error) });
    }
  }

  return {
    rules: () => ruleStates(shown, stateOf),
    detail(id, target) {
      const found = all.get(id);
      if (!found) throw new Refusal(404, `The report has no case ${printable(id, 200)}.`);
      return caseDetail(latest.get(id) ?? found, stateOf(found), target, found.report);
    },
    get underWay() {
      return underWay;
    },
    begin(request) {
      if (!engine) throw new TypeError("there is no engine");
      if (underWay.length > 0) {
        return {
          is: "refused",
          because: "Cases are being judged already.",
          hint: "Wait for them.",
        };
      }
      const chosen = idsOf(request);
      const known = chosen.filter((id) => engine.mayWrite(id) !== undefined);
      const writing = known.filter((id) => engine.mayWrite(id));
      const ids = request.readsOnly ? known.filter((id) => !writing.includes(id)) : known;
      if (ids.length === 0) {
        const because =
          chosen.length === 0
            ? "Nothing is left to judge."
            : known.length === 0
              ? "No rule lists these cases: exploration found them, or a pack that is not named here."
              : "All of these cases write.";
        return { is: "refused", because };
      }
      if (writing.length > 0 && !request.readsOnly && !request.confirmed) {
        return { is: "needs-confirmation", cases: writing };
      }
      ended = run(ids, request.readsOnly === true, "click", engine);
      return { is: "started", cases: ids };
    },
    async again(readsOnly) {
      if (!engine || isAgainWanted) return;
      isAgainWanted = true;
      await ended;
      isAgainWanted = false;
      const open = idsOf({ failed: true });
      const ids = open.filter((id) => {
        const writes = engine.mayWrite(id);
        return writes === false || (writes === true && !readsOnly);
      });
      if (ids.length === 0) {
        const problem =
          open.length > 0
            ? "All cases that are left write, and --watch sends reads alone."
            : undefined;
        tell({
          type: "idle",
          ...(problem !== undefined && { problem, hint: "Add --watch-writes." }),
        });
        return;
      }
      ended = run(ids, readsOnly, "watch", engine);
      await ended;
    },
  };
}

function problemOf(error: unknown): { readonly problem: string; readonly hint?: string } {
  if (error instanceof SuiteError) {
    const { message, hint } = error;
    return { problem: printable(message), ...(hint !== undefined && { hint: printable(hint) }) };
  }
  if (error instanceof Interrupted) return { problem: "The command was stopped." };
  return { problem: `This is a fault of the suite: ${printable(String(error), 500)}` };
}
