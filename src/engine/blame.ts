import type { Side } from "../contract/ids.ts";
import { groupBy } from "../lib/group-by.ts";
import { phrase } from "../probe/phrase.ts";
import { sideOf } from "../probe/rule.ts";
import { namesOf } from "./dependencies.ts";
import type { CaseResult, Outcome } from "./events.ts";
import type { PlannedCase } from "./plan.ts";

/** Outcomes that no other failure explains. */
const BLAMELESS: ReadonlySet<Outcome> = new Set(["not-provisioned", "not-applicable", "observed"]);

/** What blame needs to know of a planned case. */
export type Blamable = Pick<PlannedCase, "caseId" | "rule" | "testCase">;

/**
 * Blames each fault once, in the results of a whole run, which keep their order. Where a rule failed on an operation, the cases of
 * rules that depend on it prove nothing there and become inconclusive.
 * @param planned in the order of the registry, where a rule comes after the rules that it depends on
 */
export function assignBlame(
  results: readonly CaseResult[],
  planned: readonly Blamable[],
): CaseResult[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  for (const [one, causes] of withCauses(planned)) {
    const result = byId.get(one.caseId);
    if (!result || BLAMELESS.has(result.outcome)) continue;
    const all = causes().map(({ caseId }) => byId.get(caseId));
    const first = all.find((cause) => cause?.outcome === "fail");
    if (first) byId.set(one.caseId, blamed(result, first));
  }
  return results.map((result) => byId.get(result.id) ?? result);
}

/** The failures that no other case can explain any more. Their causes are all judged, and none of them failed. */
export function certainFailures(
  results: readonly CaseResult[],
  planned: readonly Blamable[],
): CaseResult[] {
  const byId = new Map(results.map((result) => [result.id, result]));
  const open = new Set<string>();
  const certain = new Map<string, CaseResult>();
  for (const [{ caseId }, causes] of withCauses(planned)) {
    const result = byId.get(caseId);
    if (!result) open.add(caseId);
    if (result?.outcome !== "fail") continue;
    const all = causes();
    if (all.some((cause) => certain.has(cause.caseId))) continue;
    if (all.some((cause) => open.has(cause.caseId))) open.add(caseId);
    else certain.set(caseId, result);
  }
  return [...certain.values()];
}

/** Each case with the cases whose failure would explain its result, both in the order of the registry. */
function* withCauses(
  planned: readonly Blamable[],
): Generator<readonly [Blamable, () => readonly Blamable[]]> {
  const entries = planned.map((one, at) => ({ one, at }));
  const names = entries.flatMap((entry) =>
    [...namesOf(entry.one)].map((name) => ({ name, entry })),
  );
  const byName = groupBy(names, ({ name }) => name);
  for (const { one, at } of entries) {
    const { rule, testCase } = one;
    const causes = (): Blamable[] => {
      const found = new Map<number, Blamable>();
      for (const name of [...(rule.dependsOn ?? []), ...(testCase.dependsOn ?? [])]) {
        for (const { entry: other } of byName.get(name) ?? []) {
          const { testCase: about, rule: owner, caseId } = other.one;
          if (other.at >= at) continue;
          const side = sideOf(owner);
          // The name of a case with its client concerns the cases of other clients too.
          const isNamed = name === caseId && side === "authorization-server";
          if (isNamed || concerns(about, side, testCase)) found.set(other.at, other.one);
        }
      }
      return [...found].toSorted(([a], [b]) => a - b).map(([, cause]) => cause);
    };
    yield [one, causes];
  }
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
