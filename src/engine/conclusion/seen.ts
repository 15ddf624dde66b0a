import { idInRule } from "../../contract/ids.ts";
import type { OperationId } from "../../contract/operations.ts";
import { gistOf } from "../../probe/phrase.ts";
import type { CaseResult } from "../events.ts";
import { withoutClient } from "./signatures.ts";

export type Broken = "fail" | "warn";

/** A case that was judged. */
export interface Seen {
  /** The case id without the rule. */
  readonly id: string;
  readonly operation: OperationId | undefined;
  /** `undefined`: the case passed. */
  readonly broken: Broken | undefined;
  readonly gist: string | undefined;
  /** The ids of the results that it stands for, with rule and client. */
  readonly cases: readonly string[];
}

export function brokenBy({ outcome }: CaseResult): Broken | undefined {
  return outcome === "fail" || outcome === "warn" ? outcome : undefined;
}

/** A result that was judged; none for others. */
export function seenIn(result: CaseResult): Seen[] {
  const broken = brokenBy(result);
  if (broken === undefined && result.outcome !== "pass" && result.outcome !== "observed") return [];
  const gist = result.actual && gistOf(result.actual);
  const id = idInRule(withoutClient(result.id));
  return [{ id, operation: result.operation, broken, gist, cases: [result.id] }];
}

/** Each id once, although several clients of the authorization server are tried; a failure before a warning. */
export function worstOfEach(seen: readonly Seen[]): Seen[] {
  const found = new Map<string, Seen>();
  for (const one of seen) {
    const known = found.get(one.id);
    if (!known || severity(one) > severity(known)) found.set(one.id, one);
    else if (severity(one) === severity(known))
      found.set(one.id, { ...known, cases: [...known.cases, ...one.cases] });
  }
  return [...found.values()];
}

function severity({ broken }: Seen): number {
  return broken === "fail" ? 2 : broken === "warn" ? 1 : 0;
}

/** The ids of the results that were violated in a way. */
export function idsOf(seen: readonly Seen[], how: Broken): string[] {
  return seen.flatMap(({ broken, cases }) => (broken === how ? cases : []));
}
