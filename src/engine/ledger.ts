import type { Side } from "../contract/ids.ts";
import { groupBy } from "../lib/group-by.ts";
import { phrase } from "../probe/phrase.ts";
import { sideOf } from "../probe/rule.ts";
import type { CaseResult, Outcome } from "./events.ts";
import type { PlannedCase } from "./plan.ts";

/** Blames one fault once, while the cases of a run are judged one by one. */
export interface Ledger {
  /**
   * Enters the result of a case.
   * @returns the results that are final now: what they depend on is judged. Each result is returned once, and one of a case
   * that is not planned at once.
   */
  add(result: CaseResult): CaseResult[];
  /** @returns the results that waited for cases that were never judged */
  close(): CaseResult[];
}

/** Outcomes that no other failure explains. */
const BLAMELESS: ReadonlySet<Outcome> = new Set(["not-provisioned", "not-applicable", "observed"]);

interface Entry {
  readonly planned: Pick<PlannedCase, "caseId" | "rule" | "testCase">;
  readonly at: number;
  final?: CaseResult;
}

/** A result that is not final. */
interface Judged {
  readonly entry: Entry;
  readonly result: CaseResult;
}

/**
 * Creates the ledger of a plan. Where a rule failed on an operation, the cases of rules that depend on it prove nothing
 * there and become inconclusive. So a result is final once everything that it depends on has a final result.
 * @param planned in the order of the registry, where a rule comes after the rules that it depends on
 */
export function createLedger(planned: readonly Entry["planned"][]): Ledger {
  const entries = planned.map((one, at): Entry => ({ planned: one, at }));
  const byId = new Map(entries.map((entry) => [entry.planned.caseId, entry]));
  const names = entries.flatMap((entry) => [...namesOf(entry)].map((name) => ({ name, entry })));
  const byName = groupBy(names, ({ name }) => name);
  /** What waits, by a case that it waits for. */
  const waiting = new Map<Entry, Judged[]>();

  /** The cases whose failure would explain the result of this one. */
  function* causesOf({ planned: { rule, testCase }, at }: Entry): Generator<Entry> {
    for (const name of [...(rule.dependsOn ?? []), ...(testCase.dependsOn ?? [])]) {
      for (const { entry: other } of byName.get(name) ?? []) {
        const { testCase: about, rule: owner, caseId } = other.planned;
        if (other.at >= at) continue;
        const side = sideOf(owner);
        const isNamed = name === caseId && side === "authorization-server";
        if (isNamed || concerns(about, side, testCase)) yield other;
      }
    }
  }

  /** The first case that has to be final before this one. */
  function awaited(entry: Entry, { outcome }: CaseResult): Entry | undefined {
    if (BLAMELESS.has(outcome)) return undefined;
    for (const cause of causesOf(entry)) if (!cause.final) return cause;
    return undefined;
  }

  function settle(entry: Entry, result: CaseResult): CaseResult {
    const failed = BLAMELESS.has(result.outcome)
      ? []
      : [...causesOf(entry)].filter(({ final }) => final?.outcome === "fail");
    const first = failed.toSorted((a, b) => a.at - b.at)[0]?.final;
    return (entry.final = first ? blamed(result, first) : result);
  }

  return {
    add(result) {
      const entered = byId.get(result.id);
      if (!entered) return [result];
      const settled: CaseResult[] = [];
      const judged: Judged[] = [{ entry: entered, result }];
      for (const one of judged) {
        const cause = awaited(one.entry, one.result);
        if (cause) {
          const others = waiting.get(cause);
          if (others) others.push(one);
          else waiting.set(cause, [one]);
          continue;
        }
        settled.push(settle(one.entry, one.result));
        judged.push(...(waiting.get(one.entry) ?? []));
        waiting.delete(one.entry);
      }
      return settled;
    },
    close() {
      const rest = [...waiting.values()].flat().toSorted((a, b) => a.entry.at - b.entry.at);
      waiting.clear();
      return rest.map(({ entry, result }) => settle(entry, result));
    },
  };
}

/** Blames each fault once, in the results of a whole run, which keep their order. */
export function assignBlame(
  results: readonly CaseResult[],
  planned: readonly Entry["planned"][],
): CaseResult[] {
  const ledger = createLedger(planned);
  const final = [...results.flatMap((result) => ledger.add(result)), ...ledger.close()];
  const byId = new Map(final.map((result) => [result.id, result]));
  return results.map((result) => byId.get(result.id) ?? result);
}

function blamed(result: CaseResult, cause: CaseResult): CaseResult {
  const { expected: _expected, actual: _actual, ...kept } = result;
  return {
    ...kept,
    outcome: "inconclusive",
    blamedOn: cause.rule,
    reason: phrase`proves nothing: ${cause.rule} already failed on ${cause.operation ?? cause.client ?? "this"}`,
  };
}

/**
 * `receiver.x` names every case of a rule; `receiver.x/y` names the cases `y` and `y@<operation>`. The name of a case of the
 * authorization server with its client concerns the cases of other clients too.
 */
function namesOf({ planned: { rule, caseId } }: Entry): Set<string> {
  return new Set([rule.id, caseId, caseId.replace(/@[^@/]*$/, "")]);
}

/** What a case is about: an operation of the receiver, or a client of the authorization server. */
type Concerned = Pick<CaseResult, "operation" | "client">;

/**
 * Whether a failure concerns a case: the same operation of the receiver, or the same client of the
 * authorization server. A failure there that is about no client concerns all clients.
 * @param side of the rule that failed
 */
function concerns(failure: Concerned, side: Side, { operation, client }: Concerned): boolean {
  if (side === "authorization-server") {
    return failure.client === undefined || failure.client === client;
  }
  return failure.operation === operation;
}
