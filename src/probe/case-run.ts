import type { OperationId } from "../contract/operations.ts";
import type { SecondTry } from "../http/second-tries.ts";
import type { Control } from "./controls/control.ts";
import type { Controls } from "./controls/controls.ts";
import type { CaseData } from "./rule.ts";
import type { Session } from "./session.ts";
import type { WriteGrant } from "./write/budget.ts";

/**
 * How a case is tried:
 * - `ordinary`;
 * - `urgent`: its requests are sent before those of other cases;
 * - `beside writes`: other cases may write at the same time;
 * - `anew`: it prepares anew what it rests on, and what it writes does not count against its rule;
 * - `apart`: as `anew`, and each of its requests has a connection of its own.
 */
export type Trial = "ordinary" | "urgent" | "beside writes" | "anew" | "apart";

/** The probe of one case, and the controls that the case rests on. */
export interface CaseProbe<P, C> {
  readonly probe: P;
  readonly used: ReadonlySet<C>;
  /**
   * Milliseconds that the case has waited for time to pass so far. The wait of a shared fixture counts for the first case that
   * used it. Default: none.
   */
  readonly waitedMs?: number | undefined;
}

/** What can wait, and how long it has waited so far, in milliseconds; `undefined` where it has not. */
export interface Waiting {
  readonly session: Pick<Session, "wait">;
  waitedMs: number | undefined;
}

/** One run of one case: how it is tried, what it has at hand, and what it has used. */
export interface CaseRun extends Waiting {
  readonly trial: Trial;
  readonly session: Session;
  readonly controls: Controls;
  /** `<rule id>/<case id>`; names its requests. */
  readonly name: string;
  readonly testCase: CaseData;
  /** What its writes may do that must be rejected, by operation: the grant of its stage, and those of stages of its own. */
  readonly grants: Map<OperationId, WriteGrant>;
  /** The controls that it rests on so far. */
  readonly used: Set<Control>;
}

/** Whether a case prepares anew what it rests on. */
export function isAnew({ trial }: Pick<CaseRun, "trial">): boolean {
  return trial === "anew" || trial === "apart";
}

/** Begins a stage of writes of its own for a case. */
export function beginWrites(
  { session, testCase, grants }: CaseRun,
  operation: OperationId,
): WriteGrant {
  const grant = session.writes.beginStage(operation, testCase.level ?? "MUST");
  grants.set(operation, grant);
  return grant;
}

/** The grant of a case for the writes of an operation. It begins a stage where the case is of none. */
export function grantOf(run: CaseRun, operation: OperationId): WriteGrant {
  return run.grants.get(operation) ?? beginWrites(run, operation);
}

/** How a case is tried again by a row. */
export function trialFor({ how }: SecondTry): Trial {
  if (how.includes("own connection")) return "apart";
  return how.includes("fresh token") ? "anew" : "ordinary";
}

/** Adds to the time that a case has waited, in milliseconds. `undefined` adds nothing. */
export function noteWaited(run: Pick<Waiting, "waitedMs">, ms: number | undefined): void {
  if (ms !== undefined) run.waitedMs = (run.waitedMs ?? 0) + ms;
}

/** Waits on behalf of a case, while others go on. An interrupted wait is not noted. */
export async function waitFor(run: Waiting, ms: number): Promise<void> {
  const began = performance.now();
  await run.session.wait(ms);
  noteWaited(run, performance.now() - began);
}
