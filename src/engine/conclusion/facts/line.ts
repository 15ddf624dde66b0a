import type { OperationId } from "../../../contract/operations.ts";
import type { CheckName } from "../../../model/checks.ts";
import { passes } from "../../../model/outcome.ts";
import type { Check } from "../../../model/question.ts";
import type { Phrase } from "../../../probe/phrase.ts";
import type { Asked } from "../model/asked.ts";

/** A line between what is accepted and what is refused, as the requests of the run draw it. */
export interface Line {
  /** Absent where it is the same on every operation that was tried. */
  readonly operation?: OperationId | undefined;
  readonly accepts: Phrase;
  readonly refuses: Phrase;
}

/** One value that a check looked at, on one operation, and what was done with it. */
export interface Sample<Value> {
  readonly operation: OperationId;
  readonly value: Value;
  readonly accepted: boolean;
  /** Whether the contract says that it must be rejected. */
  readonly isWrong: boolean;
}

const pass: Check = () => passes("checks.any-failure-rejects");

/** Whether nothing but these checks could be a reason to reject a request. */
function isDecidedBy(asked: Asked, ...checks: readonly CheckName[]): boolean {
  if (asked.reading?.matches !== "exactly") return false;
  const without = Object.fromEntries(checks.map((name) => [name, pass]));
  return asked.answerWith(without).says === "accepted";
}

/**
 * The values of a claim or of the path in requests that nothing else decides. A value that was accepted and refused on the same operation
 * is left out: it draws no line.
 */
export function samplesOf<Value>(...of: Parameters<typeof allSamplesOf<Value>>): Sample<Value>[] {
  const found = new Map<string, Sample<Value> | "both">();
  for (const sample of allSamplesOf(...of)) {
    const key = `${sample.operation} ${JSON.stringify(sample.value)}`;
    const known = found.get(key);
    const isSame = known === undefined || (known !== "both" && known.accepted === sample.accepted);
    found.set(key, isSame ? sample : "both");
  }
  return [...found.values()].flatMap((one) => (one === "both" ? [] : [one]));
}

/** The values of a claim or of the path in all requests that nothing else decides, also where a value was accepted and refused. */
export function allSamplesOf<Value>(
  all: readonly Asked[],
  checks: readonly CheckName[],
  valueOf: (asked: Asked) => Value,
): Sample<Value>[] {
  return all.flatMap((asked): Sample<Value>[] => {
    const { operation, accepted, contract } = asked;
    if (!operation || !isDecidedBy(asked, ...checks)) return [];
    return [{ operation, value: valueOf(asked), accepted, isWrong: contract.says === "rejected" }];
  });
}
